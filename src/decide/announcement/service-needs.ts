/** What a Service needs to know of its endpoints before its address is placed. Undefined: it is not known. */

import { familyOf } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { endpointsKey } from '../../model/service-endpoints.ts';
import type { AddressCase } from './address-decision.ts';
import type { Contest } from './elect.ts';
import type { NodeSnapshot } from './node-snapshot.ts';

type EndpointFacts = Pick<NodeSnapshot, 'endpoints'>;

/** Whether it matters at all where its endpoints are. */
export function needsEndpoints({ services, terms }: AddressCase): boolean {
  return terms.pool?.withdrawsWithoutEndpoints === true || services.some(dependsOnEndpoints);
}

/** By what it says itself, whatever its group says. */
export function dependsOnEndpoints({ externalTrafficPolicy, request }: LoadBalancer): boolean {
  return externalTrafficPolicy === 'Local' || request.prefersEndpoints;
}

/** Whether the group wants the address withdrawn because nobody serves it. */
export function areEndpointsGone(
  { ip, services, terms }: AddressCase,
  { endpoints }: EndpointFacts,
): boolean | undefined {
  if (terms.pool?.withdrawsWithoutEndpoints !== true) return false;
  if (endpoints === undefined) return undefined;
  const nodesOf = (key: string) => endpoints.current.get(endpointsKey(key, familyOf(ip)));
  return services.every(({ key }) => (nodesOf(key)?.size ?? 0) === 0);
}

/**
 * Which members a local address prefers or requires. A shared address has neither: its Services have their endpoints in
 * different places. One that may be shared has no preference, but needs endpoints while its only Service says Local.
 */
export function findPreference(
  { ip, services }: AddressCase,
  { endpoints }: EndpointFacts,
): Pick<Contest, 'preferred' | 'required' | 'spare'> | undefined {
  const [service, ...others] = services;
  const { prefersEndpoints, sharingKey } = service.request;
  if (others.length > 0) return {};
  // kube-proxy goes by what the Service says, whether the allocator will rewrite it, has given that up, or leaves it.
  const isRequired = service.externalTrafficPolicy === 'Local';
  if (!isRequired && (!prefersEndpoints || sharingKey !== undefined)) return {};
  if (endpoints === undefined) return undefined;
  const key = endpointsKey(service.key, familyOf(ip));
  if (isRequired) {
    const { required, current } = endpoints;
    return { required: required.get(key) ?? new Set(), spare: current.get(key) ?? new Set() };
  }
  return { preferred: endpoints.preferred.get(key) ?? new Set() };
}

/** Whether traffic for a remote address may come to this node: Local asks for an endpoint here. */
export function isServedHere(
  { ip, services }: AddressCase,
  { endpoints, node }: EndpointFacts & Pick<NodeSnapshot, 'node'>,
): boolean | undefined {
  if (services.some(({ externalTrafficPolicy }) => externalTrafficPolicy === 'Cluster'))
    return true;
  if (endpoints === undefined) return undefined;
  const nodesOf = (key: string) => endpoints.current.get(endpointsKey(key, familyOf(ip)));
  return services.some(({ key }) => nodesOf(key)?.has(node));
}
