import type { ApiObject } from '../../api-object.ts';
import {
  ingressOf,
  isExternallyAccessible,
  needsClusterIp,
  type ServicePort,
  type ServiceSpec,
  specOf,
} from './service-spec.ts';

/** What a Service gets as soon as it is read, whether or not it is stored then. */
export function setServiceDefaults(service: ApiObject): void {
  service.spec ??= {};
  const spec = specOf(service);
  spec.type ??= 'ClusterIP';
  setAffinityDefaults(spec);
  for (const port of spec.ports ?? []) setPortDefaults(port);
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= 'Cluster';
  if (needsClusterIp(spec)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of ingressOf(service)) {
    if (ingress.ip !== undefined) ingress.ipMode ??= 'VIP';
  }
}

const threeHours = 10_800;

function setAffinityDefaults(spec: ServiceSpec): void {
  spec.sessionAffinity ??= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  const timeoutSeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? threeHours;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds } };
}

function setPortDefaults(port: ServicePort): void {
  port.protocol ??= 'TCP';
  if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') {
    port.targetPort = port.port;
  }
}
