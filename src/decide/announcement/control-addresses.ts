/** Addresses of a range that no Service has: who answers for them as well answers for everything. */

import { type Ip, ipFromBigInt } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { PoolRange } from '../../model/pool.ts';
import { rangeOfPrefix } from '../../model/range.ts';

const count = 2;
/** A range that is so full gets none, and its conflicts are believed. */
const mostTries = 64;

/**
 * From the end, where an allocator that begins at the front comes last. Not the edges of the subnet: nobody has those.
 * Nor the address in question, which may be free.
 */
export function pickControls(
  at: PoolRange | undefined,
  loadBalancers: readonly LoadBalancer[],
  asked?: Ip,
): readonly Ip[] {
  if (at === undefined) return [];
  const { range, subnet, family } = at;
  const edges = rangeOfPrefix(subnet);
  const used = new Set(loadBalancers.flatMap(({ grant }) => grant.ingress));
  if (asked !== undefined) used.add(asked);
  const found: Ip[] = [];
  for (let tries = 0; tries < mostTries && found.length < count; tries++) {
    const value = range.last - BigInt(tries);
    if (value < range.first) break;
    const ip = ipFromBigInt(family, value);
    if (value !== edges.first && value !== edges.last && !used.has(ip)) found.push(ip);
  }
  return found.length === count ? found : [];
}
