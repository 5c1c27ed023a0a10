/** Gives a Service the addresses and node ports that it needs and does not have yet. */

import { type ApiError, internalError, invalid } from '../../api-error.ts';
import type { ApiObject } from '../../api-object.ts';
import { type FieldCause, invalidValue } from '../../field-cause.ts';
import type { StrategyContext } from '../../resource.ts';
import {
  claimsOf,
  nodePortRange,
  portClaim,
  type ServiceAllocations,
} from './service-allocations.ts';
import {
  type IpFamily,
  isHeadless,
  needsClusterIp,
  needsHealthPort,
  needsNodePorts,
  type ServicePort,
  type ServiceSpec,
  specOf,
} from './service-spec.ts';

/** What the Service holds already is its own. */
interface Allocation {
  readonly allocations: ServiceAllocations;
  readonly held: ReadonlySet<string>;
  readonly context: StrategyContext;
}

export function allocateService(
  allocations: ServiceAllocations,
  service: ApiObject,
  old: ApiObject | undefined,
  context: StrategyContext,
): void {
  const spec = specOf(service);
  const allocation = { allocations, held: new Set(claimsOf(old)), context };
  if (needsClusterIp(spec) && !isHeadless(spec)) allocateIps(service, spec, allocation);
  if (needsNodePorts(spec)) allocatePorts(service, spec, allocation);
  else claimPorts(service, spec.ports ?? [], allocation);
  if (needsHealthPort(spec)) allocateHealthPort(service, spec, allocation);
}

function refuse(service: ApiObject, cause: FieldCause): ApiError {
  return invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [cause]);
}

function allocateIps(service: ApiObject, spec: ServiceSpec, allocation: Allocation): void {
  const { allocations, context } = allocation;
  const given = spec.clusterIPs ?? [];
  for (const ip of given) claimIp(service, ip, allocation);
  const clusterIPs = (spec.ipFamilies ?? []).map((family, index) => {
    const known = given[index];
    if (known !== undefined) return known;
    const range = allocations.ranges.get(family as IpFamily);
    // A rehearsal takes nothing, and so shows the range's own address.
    if (context.isDryRun) return range?.ip ?? '';
    const ip = allocations.freeIp(family as IpFamily, context.identities);
    if (ip !== undefined) return ip;
    throw internalError(`failed to allocate a serviceIP: range is full`);
  });
  spec.clusterIPs = clusterIPs;
  spec.clusterIP = clusterIPs[0] ?? '';
}

function claimIp(service: ApiObject, ip: string, { allocations, held, context }: Allocation): void {
  if (held.has(ip)) return;
  const clusterIPs = specOf(service).clusterIPs ?? [];
  const failed = (why: string) =>
    refuse(
      service,
      invalidValue('spec.clusterIPs', clusterIPs, `failed to allocate IP ${ip}: ${why}`),
    );
  if (!allocations.contains(ip)) {
    throw failed('the provided network does not match the current range');
  }
  if (!context.isDryRun && allocations.ownerOf(ip) !== undefined) {
    throw failed('provided IP is already allocated');
  }
}

function allocatePorts(service: ApiObject, spec: ServiceSpec, allocation: Allocation): void {
  const { allocations, context } = allocation;
  const ports = spec.ports ?? [];
  claimPorts(service, ports, allocation);
  const claimed = new Set(claimsOf(service));
  for (const port of ports) {
    if ((port.nodePort ?? 0) !== 0) continue;
    const twin = twinPort(port, ports, claimed, allocation);
    const free = twin ?? allocations.freePort(port.protocol, claimed, context.identities);
    if (free === undefined) throw internalError('failed to allocate a nodePort: range is full');
    port.nodePort = free;
    claimed.add(portClaim(port.protocol, free));
  }
}

/** The same port number over TCP and UDP gets the same node port, where it can. */
function twinPort(
  { port, protocol }: ServicePort,
  ports: readonly ServicePort[],
  claimed: ReadonlySet<string>,
  { allocations, held }: Allocation,
): number | undefined {
  const twin = ports.find(
    (other) => other.port === port && other.protocol !== protocol && (other.nodePort ?? 0) !== 0,
  );
  if (twin?.nodePort === undefined) return undefined;
  const claim = portClaim(protocol, twin.nodePort);
  const isFree = held.has(claim) || allocations.ownerOf(claim) === undefined;
  return isFree && !claimed.has(claim) ? twin.nodePort : undefined;
}

function claimPorts(
  service: ApiObject,
  ports: readonly ServicePort[],
  allocation: Allocation,
): void {
  const claimed = new Set<string>();
  for (const [index, { protocol, nodePort = 0 }] of ports.entries()) {
    if (nodePort === 0) continue;
    const field = `spec.ports[${index}].nodePort`;
    const claim = portClaim(protocol, nodePort);
    const problem = claimed.has(claim) ? taken : portProblem(claim, nodePort, allocation);
    if (problem !== undefined) throw refuse(service, invalidValue(field, nodePort, problem));
    claimed.add(claim);
  }
}

const taken = 'provided port is already allocated';

/** Why the port cannot be had; undefined when it can. */
function portProblem(
  claim: string,
  port: number,
  { allocations, held, context }: Allocation,
): string | undefined {
  if (held.has(claim)) return undefined;
  const { first, last } = nodePortRange;
  if (port < first || port > last) {
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  }
  return !context.isDryRun && allocations.ownerOf(claim) !== undefined ? taken : undefined;
}

function allocateHealthPort(service: ApiObject, spec: ServiceSpec, allocation: Allocation): void {
  const { allocations, context } = allocation;
  const wanted = spec.healthCheckNodePort ?? 0;
  if (wanted !== 0) {
    const problem = portProblem(portClaim('TCP', wanted), wanted, allocation);
    if (problem === undefined) return;
    throw internalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}`);
  }
  const claimed = new Set(claimsOf(service));
  const free = allocations.freePort('TCP', claimed, context.identities);
  if (free === undefined) throw internalError('failed to allocate a nodePort: range is full');
  spec.healthCheckNodePort = free;
}
