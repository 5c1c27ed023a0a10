/**
 * Addresses that someone else on the network uses. Agents report them on their Leases; here they go into quarantine, and
 * a Service that does not use its address yet is moved to another one: within limits, because a host on the network can
 * answer for any address.
 */

import type { Conflict } from '../../model/conflict.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool, QuarantinedAddress } from '../../model/pool.ts';
import type { AllocationState, Quarantine } from './allocation-state.ts';
import type { Claimant } from './claimant.ts';
import { findMoveLimits } from './conflict-limits.ts';
import type { Place } from './place.ts';

export interface ConflictMoves {
  /** Whoever holds them is to get others. */
  readonly leaving: ReadonlySet<Ip>;
  /** Held in spite of a conflict, and why. */
  readonly staying: ReadonlyMap<Ip, string>;
  /** New entries for the quarantine, by pool. */
  readonly reported: Quarantine;
}

type Reports = Pick<AllocationState, 'conflicts' | 'now'>;

interface HeldInConflict {
  readonly pool: Pool;
  readonly entry: QuarantinedAddress;
  readonly isNew: boolean;
  /** Why it stays, whatever the limits. */
  tie: string | undefined;
}

/** `claimants`: in order of their right, so that an address shared by several counts for the first of them. */
export function planConflictMoves(
  claimants: readonly Claimant[],
  quarantine: Quarantine,
  { conflicts: reports, now }: Reports,
): ConflictMoves {
  const held = findHeldInConflict(claimants, quarantine, { conflicts: reports, now });
  const leaving = new Set<Ip>();
  const staying = new Map<Ip, string>();
  const reported = new Map<string, readonly QuarantinedAddress[]>();
  for (const [pool, conflicts] of Map.groupBy(held.values(), (conflict) => conflict.pool)) {
    const added = conflicts.filter(({ isNew }) => isNew).map(({ entry }) => entry);
    reported.set(pool.name, added);
    const limits = findMoveLimits(pool, [...(quarantine.get(pool.name) ?? []), ...added], now);
    for (const { entry, tie = limits.get(entry) } of conflicts) {
      if (tie === undefined) leaving.add(entry.ip);
      else staying.set(entry.ip, tie);
    }
  }
  return { leaving, staying, reported };
}

function findHeldInConflict(
  claimants: readonly Claimant[],
  quarantine: Quarantine,
  reports: Reports,
): ReadonlyMap<Ip, HeldInConflict> {
  const entries = [...quarantine.values()].flat();
  const known = new Map(
    entries
      .filter(({ reason, until }) => reason === 'Conflict' && until > reports.now)
      .map((entry) => [entry.ip, entry]),
  );
  const held = new Map<Ip, HeldInConflict>();
  if (known.size + reports.conflicts.size === 0) return held;
  for (const { service, held: places } of claimants) {
    for (const place of places) {
      const found = held.get(place.ip) ?? judge(service, place, known.get(place.ip), reports);
      if (found === undefined) continue;
      found.tie ??= findTie(service, place.ip);
      held.set(place.ip, found);
    }
  }
  return held;
}

function judge(
  { key }: LoadBalancer,
  { ip, pool, use }: Place,
  known: QuarantinedAddress | undefined,
  { conflicts, now }: Reports,
): HeldInConflict | undefined {
  if (pool === undefined || use === undefined) return undefined;
  if (known !== undefined) return { pool, entry: known, isNew: false, tie: undefined };
  const report = conflicts.get(ip);
  const entry = report === undefined ? undefined : conflictEntry(report, pool, key, now);
  if (entry === undefined || entry.until <= now) return undefined;
  return { pool, entry, isNew: true, tie: undefined };
}

/** To the second, as it is written down; counted from the report, so that reading it again says the same. */
export function conflictEntry(
  { ip, mac, node, seenAt }: Conflict,
  { conflictCheck }: Pool,
  service: string | undefined,
  now: number,
): QuarantinedAddress {
  const since = Math.ceil(Math.min(seenAt, now) / 1000) * 1000;
  return { ip, until: since + conflictCheck.quarantineMs, reason: 'Conflict', mac, node, service };
}

function findTie({ request, grant }: LoadBalancer, ip: Ip): string | undefined {
  if (request.addresses.includes(ip)) return 'the Service asks for it';
  // Clients know an address that was announced: it is defended, not changed.
  return grant.slots.some((slot) => slot.ip === ip) ? 'it is in use' : undefined;
}
