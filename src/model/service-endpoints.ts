/** Where the pods of Services are: EndpointSlices in our words, and the nodes that can serve. */

import { type Family, familyOf, type Ip } from './ip.ts';

const families = ['ipv4', 'ipv6'] as const;

/** One EndpointSlice; a Service may have several. */
export interface ServiceEndpoints {
  /** `namespace/name` of the Service. */
  readonly service: string;
  readonly endpoints: readonly Endpoint[];
}

export interface Endpoint {
  readonly addresses: readonly Ip[];
  readonly node: string | undefined;
  /** Ready, or serving on while it terminates. */
  readonly isHealthy: boolean;
}

/** Where endpoints of a Service are looked up for an address: traffic stays in its family all the way to a pod. */
export function endpointsKey(service: string, family: Family): string {
  return `${service} ${family}`;
}

/**
 * The nodes that hold a healthy endpoint, by `endpointsKey`. An address that appears more than once, as with several
 * ports, must be healthy wherever it appears.
 */
export function nodesWithEndpoints(
  slices: readonly ServiceEndpoints[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const all = slices.flatMap(({ service, endpoints }) =>
    endpoints.flatMap(({ addresses, ...endpoint }) =>
      addresses.map((ip) => ({ ...endpoint, service, ip })),
    ),
  );
  const sick = new Set(all.filter(({ isHealthy }) => !isHealthy).map(keyOf));
  const nodes = new Map<string, Set<string>>();
  for (const { service } of slices) {
    for (const family of families) nodes.set(endpointsKey(service, family), new Set());
  }
  for (const { node, ...endpoint } of all.filter((each) => !sick.has(keyOf(each)))) {
    const key = endpointsKey(endpoint.service, familyOf(endpoint.ip));
    if (node !== undefined) nodes.get(key)?.add(node);
  }
  return nodes;
}

interface PlacedAddress extends Pick<Endpoint, 'node'> {
  readonly service: string;
  readonly ip: Ip;
}

function keyOf({ service, node = '', ip }: PlacedAddress): string {
  return `${service} ${node} ${ip}`;
}
