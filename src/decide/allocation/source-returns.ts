/**
 * What sources other than our own ranges have to take back. A Service names in `allocated-from` every source that may
 * have something for it, from before the source is first asked until it has taken everything back: whoever leads next
 * needs no memory to finish what another began.
 */

import { type Family, familyOf } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { AllocationState } from './allocation-state.ts';
import type { Wait } from './obstacle.ts';

/** How `AllocationState.returned` names it. */
export function returnKey(uid: string, pool: string): string {
  return `${uid} ${pool}`;
}

/** Pools with a source that the Service has no more use for, and that have not taken back all of it. */
export function findReturns(
  { grant, identity }: LoadBalancer,
  isUsed: (pool: string) => boolean,
  { pools, returned }: Pick<AllocationState, 'pools' | 'returned'>,
): readonly string[] {
  if (!grant.isOurs || grant.pools.length === 0) return none;
  return grant.pools.filter((name) => {
    const kind = pools.byName.get(name)?.source.kind ?? 'cluster';
    if (kind === 'cluster' || isUsed(name)) return false;
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
  const ips = [...grant.ingress, ...grant.prefixes.map(({ ip }) => ip)];
  const all = new Set([...families, ...ips.map(familyOf)]);
  return all.size === 0 ? ['ipv4'] : [...all];
}
