/** How many addresses may be left because of conflicts. The entries in quarantine are the memory of those that were. */

import { compareTexts } from '../../model/compare-texts.ts';
import type { Pool, QuarantinedAddress } from '../../model/pool.ts';
import { rangeSize } from '../../model/range.ts';
import { rangesOf } from './accept-pools.ts';

/** Of one Service, for as long as its entries are remembered. */
const mostOfService = 3;
/** One in ten addresses of a pool within an hour. */
const shareOfPool = 10n;
const hour = 3_600_000;

/** For entries beyond a limit, which. Earlier ones go first; what is too much now may be right in an hour. */
export function findMoveLimits(
  pool: Pool,
  entries: readonly QuarantinedAddress[],
  now: number,
): ReadonlyMap<QuarantinedAddress, string> {
  const limits = new Map<QuarantinedAddress, string>();
  const movesOf = new Map<string, number>();
  const mostOfPool = mostMovesOf(pool);
  let lately = 0;
  for (const entry of entries.filter(isConflict).sort(compareEntries)) {
    const service = entry.service ?? '';
    const moves = (movesOf.get(service) ?? 0) + 1;
    movesOf.set(service, moves);
    if (startOf(entry, pool) > now - hour) lately++;
    if (moves > mostOfService) {
      limits.set(entry, `the Service was moved ${mostOfService} times already`);
    } else if (BigInt(lately) > mostOfPool) {
      limits.set(entry, `${mostOfPool} addresses of the pool were left within an hour already`);
    }
  }
  return limits;
}

/** When an entry is of no more use (epoch ms): it may have to be remembered although its address is free again. */
export function forgetAt(entry: QuarantinedAddress, pool: Pool): number {
  return isConflict(entry) ? Math.max(entry.until, startOf(entry, pool) + hour) : entry.until;
}

function mostMovesOf(pool: Pool): bigint {
  const size = rangesOf(pool).reduce((sum, { range }) => sum + rangeSize(range), 0n);
  return size < shareOfPool ? 1n : size / shareOfPool;
}

function startOf({ until }: QuarantinedAddress, { conflictCheck }: Pool): number {
  return until - conflictCheck.quarantineMs;
}

function isConflict({ reason }: QuarantinedAddress): boolean {
  return reason === 'Conflict';
}

function compareEntries(left: QuarantinedAddress, right: QuarantinedAddress): number {
  return left.until - right.until || compareTexts(left.ip, right.ip);
}
