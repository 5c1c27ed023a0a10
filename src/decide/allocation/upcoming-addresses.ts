/**
 * Which addresses of a pool are given out next: the rule of `pick-address` and `fill-ranges`, applied to Services that
 * do not exist yet. Agents look for these on the wire in advance.
 */

import type { Pool } from '../../model/pool.ts';
import { balancesRanges } from './pick-address.ts';
import { type Place, placeIn } from './place.ts';
import type { RangeUse } from './range-use.ts';

/** `ranges`: those of one family, in declared order. */
export function upcomingAddresses(
  pool: Pool,
  ranges: readonly RangeUse[],
  count: number,
): readonly Place[] {
  if (pool.source.kind !== 'cluster') return [];
  if (pool.source.usesMultiPool) return takeInTurn(ranges, count);
  if (balancesRanges(pool)) return takeEmptiest(ranges, count);
  const found: Place[] = [];
  for (const use of ranges) {
    if (found.length >= count) break;
    for (const value of use.nextFree(count - found.length)) found.push(placeIn(use, value));
  }
  return found;
}

/** Each Service gets one of each range. */
function takeInTurn(ranges: readonly RangeUse[], count: number): readonly Place[] {
  const each = Math.ceil(count / Math.max(ranges.length, 1));
  const free = ranges.map((use) => use.nextFree(each).map((value) => placeIn(use, value)));
  const rounds = Array.from({ length: each }, (_, index) =>
    free.flatMap((places) => places[index] ?? []),
  );
  return rounds.flat().slice(0, count);
}

/** Each Service gets one of the range that has given out the fewest by then. */
function takeEmptiest(ranges: readonly RangeUse[], count: number): readonly Place[] {
  const lines = ranges.map((use) => ({ use, free: [...use.nextFree(count)], inUse: use.inUse }));
  const found: Place[] = [];
  while (found.length < count) {
    const open = lines.filter(({ free }) => free.length > 0);
    const [line] = open.sort((left, right) => left.inUse - right.inUse);
    const value = line?.free.shift();
    if (line === undefined || value === undefined) break;
    line.inUse += 1;
    found.push(placeIn(line.use, value));
  }
  return found;
}
