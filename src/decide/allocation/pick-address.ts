/** One address of a pool for a Service: the one its key is bound to, one kept for it, or the lowest that is free. */

import { type Family, familyNames } from '../../model/ip.ts';
import type { Pool } from '../../model/pool.ts';
import type { Claimant } from './claimant.ts';
import { type Obstacle, postpone, refuse } from './obstacle.ts';
import { type Place, placeIn } from './place.ts';
import type { RangeUse } from './range-use.ts';
import type { Round } from './round.ts';

export function pickAddress(
  claimant: Claimant,
  pool: Pool,
  family: Family,
  round: Round,
): Place | Obstacle {
  const { occupancy } = round;
  const bound = occupancy.boundTo(claimant, pool, family);
  // A key never spreads to a second address: whoever cannot join it goes without.
  if (bound !== undefined) {
    const place = occupancy.places.find(bound);
    return occupancy.findObstacle(claimant, place) ?? place;
  }
  const ranges = orderRanges(claimant, pool, occupancy.places.rangesOf(pool, family));
  const former = findFormer(claimant, round, ({ use }) => use?.pool.name === pool.name);
  const kept = former.find((place) => place.family === family);
  if (kept !== undefined) return kept;
  for (const use of ranges) {
    const free = use.lowestFree();
    if (free !== undefined) return placeIn(use, free);
  }
  return explain(claimant, pool, family, round);
}

/** An address of one range; undefined when it has none left. */
export function pickFromRange(
  claimant: Claimant,
  range: RangeUse,
  round: Round,
): Place | undefined {
  const [former] = findFormer(claimant, round, ({ use }) => use === range);
  const free = range.lowestFree();
  return former ?? (free === undefined ? undefined : placeIn(range, free));
}

/** Addresses that the Service had before, in this life or an earlier one, and that nobody else has a claim on. */
function findFormer(
  { service }: Claimant,
  { occupancy }: Round,
  isMeant: (place: Place) => boolean,
): readonly Place[] {
  const { ingress, prefixes } = service.grant;
  // Someone emptied its status: what it had is still written beside it.
  const lost = ingress.length === 0 ? prefixes.map(({ ip }) => occupancy.places.find(ip)) : [];
  return [...occupancy.reservedFor(service), ...lost].filter((place) => {
    const entry = occupancy.quarantineOf(place.ip);
    const isSetApart =
      entry !== undefined && !(entry.reason === 'Reserved' && entry.service === service.key);
    const isInUse = occupancy.usersOf(place.ip).length > 0;
    return (
      isMeant(place) && !isSetApart && !isInUse && place.use?.isWithheld(place.value) === false
    );
  });
}

/** In declared order, or emptiest first where the pool balances; Services that share do not take part in that. */
function orderRanges(
  { service }: Claimant,
  pool: Pool,
  ranges: readonly RangeUse[],
): readonly RangeUse[] {
  if (!balancesRanges(pool) || service.request.sharingKey !== undefined) return ranges;
  return ranges.toSorted((left, right) => left.inUse - right.inUse);
}

export function balancesRanges({ source }: Pool): boolean {
  return source.kind === 'cluster' && source.balancesPools;
}

function explain({ service }: Claimant, pool: Pool, family: Family, round: Round): Obstacle {
  const wait = { kind: 'pool', pool: pool.name, family } as const;
  const context = { pool: pool.name, waitsFor: [wait] };
  if (round.occupancy.places.rangesOf(pool, family).length === 0) {
    return refuse(
      'exhausted',
      `pool "${pool.name}" has no ${familyNames[family]} addresses`,
      context,
    );
  }
  const which = service.families.length > 1 ? ` (${familyNames[family]})` : '';
  const message = `pool "${pool.name}" exhausted: no available addresses for ${service.key}${which}`;
  if (round.occupancy.isFreeing(pool, family)) return postpone(message, pool.name, wait);
  return refuse('exhausted', message, context);
}
