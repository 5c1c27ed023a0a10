/**
 * Free addresses that an agent found in use by a host outside the cluster when it looked at them in advance. They go
 * into quarantine and are not given out, within limits: a host on the network can answer for any address.
 */

import type { Conflict } from '../../model/conflict.ts';
import type { Pool, QuarantinedAddress } from '../../model/pool.ts';
import type { AllocationState, Quarantine } from './allocation-state.ts';
import { findMoveLimits } from './conflict-limits.ts';
import { conflictEntry } from './conflict-moves.ts';
import type { Occupancy } from './occupancy.ts';

/** New entries by pool. `quarantine`: what is written down, and what is reported of addresses in use. */
export function planFreeConflicts(
  occupancy: Occupancy,
  quarantine: Quarantine,
  { conflicts, now }: Pick<AllocationState, 'conflicts' | 'now'>,
): Quarantine {
  const found = [...conflicts.values()].flatMap((report) => judge(report, occupancy, now) ?? []);
  const planned = new Map<string, readonly QuarantinedAddress[]>();
  for (const [pool, group] of Map.groupBy(found, (each) => each.pool)) {
    const entries = group.map(({ entry }) => entry);
    const limits = findMoveLimits(pool, [...(quarantine.get(pool.name) ?? []), ...entries], now);
    const kept = entries.filter((entry) => !limits.has(entry));
    if (kept.length > 0) planned.set(pool.name, kept);
  }
  return planned;
}

function judge(
  report: Conflict,
  occupancy: Occupancy,
  now: number,
): { readonly pool: Pool; readonly entry: QuarantinedAddress } | undefined {
  const { pool, use, value } = occupancy.places.find(report.ip);
  if (pool === undefined || use === undefined || use.isWithheld(value)) return undefined;
  const isFree = occupancy.usersOf(report.ip).length === 0;
  if (!isFree || occupancy.quarantineOf(report.ip) !== undefined) return undefined;
  const entry = conflictEntry(report, pool, undefined, now);
  return entry.until > now ? { pool, entry } : undefined;
}
