/** How many addresses may be left because of conflicts. The entries in quarantine are the memory of those that were. */

import { compareIps } from '../../model/ip.ts';
import type { Pool, QuarantinedAddress } from '../../model/pool.ts';
import { rangeSize } from '../../model/range.ts';
import { rangesOf } from './accept-pools.ts';

/** Of one Service, for as long as its entries are remembered. */
const mostOfService = 3;
/** One in ten addresses of a pool within an hour. */
const shareOfPool = 10n;
/** Half of those may be free addresses: the rest is for Services that have to move. */
const shareInAdvance = 2n;
const hour = 3_600_000;

/** For entries beyond a limit, which. Earlier ones go first; what is too much now may be right in an hour. */
export function findMoveLimits(
  pool: Pool,
  entries: readonly QuarantinedAddress[],
  now: number,
): ReadonlyMap<QuarantinedAddress, string> {
  const limits = new Map<QuarantinedAddress, string>();
  const counts: Counts = { lately: 0n, inAdvance: 0n, movesOf: new Map() };
  for (const entry of entries.filter(isConflict).sort(compareEntries)) {
    count(entry, startOf(entry, pool) > now - hour, counts);
    const limit = findLimit(entry, mostMovesOf(pool), counts);
    if (limit !== undefined) limits.set(entry, limit);
  }
  return limits;
}

interface Counts {
  /** Within the last hour: all, and those that no Service had. */
  lately: bigint;
  inAdvance: bigint;
  readonly movesOf: Map<string, number>;
}

function count({ service }: QuarantinedAddress, isLate: boolean, counts: Counts): void {
  if (isLate) counts.lately++;
  if (service !== undefined) counts.movesOf.set(service, (counts.movesOf.get(service) ?? 0) + 1);
  else if (isLate) counts.inAdvance++;
}

function findLimit(
  { service }: QuarantinedAddress,
  mostOfPool: bigint,
  { lately, inAdvance, movesOf }: Counts,
): string | undefined {
  if (service !== undefined && (movesOf.get(service) ?? 0) > mostOfService) {
    return `the Service was moved ${mostOfService} times already`;
  }
  if (lately > mostOfPool) {
    return `${mostOfPool} addresses of the pool were left within an hour already`;
  }
  const mostInAdvance = atLeastOne(mostOfPool / shareInAdvance);
  if (service !== undefined || inAdvance <= mostInAdvance) return undefined;
  return `${mostInAdvance} free addresses of the pool were left within an hour already`;
}

/** When an entry is of no more use (epoch ms): it may have to be remembered although its address is free again. */
export function forgetAt(entry: QuarantinedAddress, pool: Pool): number {
  return isConflict(entry) ? Math.max(entry.until, startOf(entry, pool) + hour) : entry.until;
}

function mostMovesOf(pool: Pool): bigint {
  const size = rangesOf(pool).reduce((sum, { range }) => sum + rangeSize(range), 0n);
  return atLeastOne(size / shareOfPool);
}

function atLeastOne(count: bigint): bigint {
  return count < 1n ? 1n : count;
}

function startOf({ until }: QuarantinedAddress, { conflictCheck }: Pool): number {
  return until - conflictCheck.quarantineMs;
}

function isConflict({ reason }: QuarantinedAddress): boolean {
  return reason === 'Conflict';
}

function compareEntries(left: QuarantinedAddress, right: QuarantinedAddress): number {
  return left.until - right.until || compareIps(left.ip, right.ip);
}
