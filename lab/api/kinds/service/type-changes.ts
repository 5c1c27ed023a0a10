/**
 * What follows from a change of type. A field that fits the old type alone is dropped if the caller left it as it
 * was; a field that the caller gave on purpose stays, and validation judges it.
 */

import { equalJson, type Json } from '../../json.ts';
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthPort,
  needsNodePorts,
  type ServicePort,
  type ServiceSpec,
} from './service-spec.ts';

export function dropTypeDependentFields(spec: ServiceSpec, old: ServiceSpec): void {
  const isSame = (field: keyof ServiceSpec) =>
    equalJson(spec[field] as Json | undefined, old[field] as Json | undefined);
  const drop = (condition: boolean, ...fields: (keyof ServiceSpec)[]) => {
    if (!condition || !fields.every(isSame)) return;
    for (const field of fields) delete spec[field];
  };
  const isLoadBalancer = ({ type }: ServiceSpec) => type === 'LoadBalancer';
  const lost = (needs: (spec: ServiceSpec) => boolean) => needs(old) && !needs(spec);
  if (lost(needsClusterIp)) {
    drop(true, 'clusterIP', 'clusterIPs');
    drop(true, 'ipFamilies');
    drop(true, 'ipFamilyPolicy');
    drop(true, 'internalTrafficPolicy');
  }
  if (lost(canHaveNodePorts) && hasSameNodePorts(spec, old)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  drop(lost(needsHealthPort), 'healthCheckNodePort');
  drop(lost(isLoadBalancer), 'allocateLoadBalancerNodePorts');
  drop(lost(isLoadBalancer), 'loadBalancerClass');
  drop(!isExternallyAccessible(spec), 'externalTrafficPolicy');
}

/** A load balancer that no longer asks for node ports keeps those it has. */
function canHaveNodePorts({ type }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function hasSameNodePorts(spec: ServiceSpec, old: ServiceSpec): boolean {
  const ports = (from: ServiceSpec) =>
    new Set((from.ports ?? []).flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort])));
  return equalJson([...ports(spec)].sort(), [...ports(old)].sort());
}

/** Addresses and ports once given out stay, unless the caller names others. */
export function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(spec) && needsClusterIp(old)) keepClusterIps(spec, old);
  if (needsNodePorts(spec) && needsNodePorts(old)) keepNodePorts(spec.ports ?? [], old.ports ?? []);
  if (needsHealthPort(spec) && needsHealthPort(old)) {
    spec.healthCheckNodePort ??= old.healthCheckNodePort ?? 0;
  }
}

function keepClusterIps(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.clusterIP === undefined && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
  if (spec.clusterIPs === undefined && spec.clusterIP === old.clusterIP) {
    spec.clusterIPs = [...(old.clusterIPs ?? [])];
  }
}

/** A port is known again by its name, whatever else about it has changed. */
function keepNodePorts(ports: readonly ServicePort[], old: readonly ServicePort[]): void {
  const taken = new Set(ports.map(({ nodePort }) => nodePort));
  for (const port of ports) {
    const known = old.findLast(({ name }) => name === port.name)?.nodePort;
    if (port.nodePort !== undefined || known === undefined || taken.has(known)) continue;
    port.nodePort = known;
    taken.add(known);
  }
}

/** `clusterIP` is the first of `clusterIPs`; who writes only one of them means both. */
export function alignNewClusterIps(spec: ServiceSpec): void {
  if (spec.clusterIP !== undefined) spec.clusterIPs ??= [spec.clusterIP];
}

export function alignClusterIps(spec: ServiceSpec, old: ServiceSpec): void {
  const { clusterIP, clusterIPs = [] } = spec;
  const isIpSame = clusterIP === old.clusterIP;
  const isListSame = equalJson(clusterIPs, old.clusterIPs ?? []);
  if (!isIpSame && clusterIP !== undefined && clusterIPs.length === 0) {
    spec.clusterIPs = [clusterIP];
  }
  if (isIpSame === isListSame) return;
  if (isIpSame && clusterIPs.length === 0) delete spec.clusterIP;
  if (isListSame && clusterIP === undefined) delete spec.clusterIPs;
  if (isListSame && clusterIP !== undefined) spec.clusterIPs = [clusterIP];
}
