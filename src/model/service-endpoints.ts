/** Where the pods of Services are: EndpointSlices in our words, and the nodes that can serve. */

import type { Ip } from './ip.ts';

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

/**
 * The nodes that hold a healthy endpoint, by Service. An address that appears more than once, as with several ports,
 * must be healthy wherever it appears.
 */
export function nodesWithEndpoints(
  slices: readonly ServiceEndpoints[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const sick = new Set(
    slices.flatMap(({ service, endpoints }) =>
      endpoints
        .filter(({ isHealthy }) => !isHealthy)
        .flatMap((endpoint) => keysOf(service, endpoint)),
    ),
  );
  const nodes = new Map<string, Set<string>>();
  for (const { service, endpoints } of slices) {
    const found = nodes.get(service) ?? new Set();
    nodes.set(service, found);
    for (const endpoint of endpoints) {
      const isWell = keysOf(service, endpoint).some((key) => !sick.has(key));
      if (isWell && endpoint.node !== undefined) found.add(endpoint.node);
    }
  }
  return nodes;
}

function keysOf(service: string, { addresses, node }: Endpoint): readonly string[] {
  return addresses.map((ip) => `${service} ${node ?? ''} ${ip}`);
}
