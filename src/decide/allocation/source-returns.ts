/**
 * What sources other than our own ranges have to take back. A Service names in `allocated-from` every source that may
 * have something for it, from before the source is first asked until it has taken everything back: whoever leads next
 * needs no memory to finish what another began. A name that was forged there does no harm: the source looks for what it
 * recorded under the UID of this Service, and finds nothing. What is recorded under a sharing key belongs to others as
 * well, so there the status must say that this Service had a part in it.
 */

import { type Family, familyOf } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { AllocationState } from './allocation-state.ts';
import type { Wait } from './obstacle.ts';
import { isSharedOwner, slotOwner } from './source-slots.ts';

/** How `AllocationState.returned` names it. */
export function returnKey(uid: string, pool: string): string {
  return `${uid} ${pool}`;
}

/** Pools with a source that the Service has no more use for, and that have not taken back all of it. */
export function findReturns(
  service: LoadBalancer,
  isUsed: (pool: string) => boolean,
  { pools, returned, retired }: Pick<AllocationState, 'pools' | 'returned' | 'retired'>,
): readonly string[] {
  const { grant, identity } = service;
  const recorded = grant.record?.pools ?? none;
  const named = grant.isOurs ? grant.pools : none;
  if (named.length + recorded.length === 0) return none;
  return [...new Set([...named, ...recorded])].filter((name) => {
    const pool = pools.byName.get(name) ?? retired?.get(name);
    if (pool === undefined || pool.source.kind === 'cluster' || isUsed(name)) return false;
    if (isSharedOwner(slotOwner(service, pool)) && !recorded.includes(name)) return false;
    return returned?.has(returnKey(identity.uid, name)) !== true;
  });
}

const none: readonly string[] = [];

export function waitForReturn(pool: string): Wait {
  return { kind: 'return', pool };
}

/** Pools whose source is asked: it must be known that they may have something before they are. */
export function askedPools(waits: readonly Wait[]): readonly string[] {
  return waits.flatMap((wait) => (wait.kind === 'source' ? [wait.request.pool] : []));
}

/** Families in which a source may have an address for the Service. */
export function familiesAtSource({ families, grant }: LoadBalancer): readonly Family[] {
  const ips = [...grant.ingress, ...(grant.record?.ips ?? [])];
  const all = new Set([...families, ...ips.map(familyOf)]);
  return all.size === 0 ? ['ipv4'] : [...all];
}
