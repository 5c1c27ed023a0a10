/** One address for each family that a Service has, from one pool. */

import type { Family } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import type { Claimant } from './claimant.ts';
import { isNoObstacle, isObstacle, type Obstacle } from './obstacle.ts';
import { pickAddress } from './pick-address.ts';
import type { Place } from './place.ts';
import type { Filling, Round } from './round.ts';

export function fillFamilies(
  claimant: Claimant,
  pool: Pool,
  kept: readonly Place[],
  round: Round,
): Filling | Obstacle {
  const held = new Set(kept.map(({ family }) => family));
  const picked = wantedFamilies(claimant.service, pool, kept, round)
    .filter((family) => !held.has(family))
    .map((family) => pickAddress(claimant, pool, family, round));
  const missing = picked.filter(isObstacle);
  const additions = picked.filter(isNoObstacle);
  return settleFor(claimant.service, { additions, missing }, kept);
}

/** All or nothing, unless dual-stack is only preferred: then one family is better than none. */
export function settleFor(
  { familyPolicy }: LoadBalancer,
  filling: Filling,
  kept: readonly Place[],
): Filling | Obstacle {
  const [obstacle] = filling.missing;
  if (obstacle === undefined) return filling;
  const hasSome = kept.length + filling.additions.length > 0;
  return familyPolicy === 'PreferDualStack' && hasSome ? filling : obstacle;
}

/** A real API server always says which; without its word any one does, IPv6 before IPv4. */
function wantedFamilies(
  { families }: LoadBalancer,
  pool: Pool,
  kept: readonly Place[],
  { occupancy }: Round,
): readonly Family[] {
  if (families.length > 0) return [...new Set(families)];
  if (kept.length > 0) return [];
  return occupancy.places.rangesOf(pool, 'ipv6').length > 0 ? ['ipv6'] : ['ipv4'];
}
