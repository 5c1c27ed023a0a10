/** What of a Service's addresses it would be given again, were it new; and the order that addresses stand in. */

import type { Pool } from '../../model/pool.ts';
import type { Claimant } from './claimant.ts';
import { wantsEveryRange } from './fill-ranges.ts';
import type { Place } from './place.ts';
import type { Round } from './round.ts';

/** Without a pool: where addresses are asked for by name. */
export function fittingAddresses(
  claimant: Claimant,
  pool: Pool | undefined,
  round: Round,
): readonly Place[] {
  const fitting: Place[] = [];
  for (const place of claimant.held) {
    const isFit =
      pool === undefined
        ? claimant.service.request.addresses.includes(place.ip)
        : isFitFrom(pool, claimant, place, fitting, round);
    if (isFit && round.occupancy.findFault(claimant, place.ip) === undefined) fitting.push(place);
  }
  return fitting;
}

function isFitFrom(
  pool: Pool,
  claimant: Claimant,
  place: Place,
  fitting: readonly Place[],
  { occupancy, conflicts, homes }: Round,
): boolean {
  const { service } = claimant;
  const { ip, use, family, value } = place;
  if (
    place.pool?.name !== pool.name ||
    conflicts.leaving.has(ip) ||
    use?.isWithheld(value) === true
  )
    return false;
  if (service.families.length > 0 && !service.families.includes(family)) return false;
  if ((occupancy.boundTo(claimant, pool, family) ?? ip) !== ip) return false;
  if (wantsEveryRange(service, pool)) return use !== undefined && homes.find(use) !== 'none';
  return !fitting.some((other) => other.family === family);
}

/** As asked for, or in the order of the Service's families; what is there comes before what is added. */
export function orderByFamily(
  { service }: Claimant,
  kept: readonly Place[],
  additions: readonly Place[],
): readonly Place[] {
  if (additions.length === 0) return kept;
  const { families, request } = service;
  const rank = ({ ip, family }: Place) => {
    const wish = request.addresses.indexOf(ip);
    return wish >= 0 ? wish : request.addresses.length + families.indexOf(family);
  };
  return [...kept, ...additions].sort((left, right) => rank(left) - rank(right));
}
