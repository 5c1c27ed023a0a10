/** Addresses that were found in use by someone else rest for a while before the wire is asked for them again. */

import type { PlacementReason } from '../../model/placement-reasons.ts';
import type { AddressCase } from './address-decision.ts';
import type { NodeSnapshot } from './node-snapshot.ts';

/** A user who asked for that very address gets it soon after the other host is gone. */
export const conflictRestMs = 300_000;

export interface Rest {
  readonly reason: PlacementReason & ('addressConflict' | 'quarantined');
  /** In ms on the monotonic clock. */
  readonly wakeAt: number;
}

/** What this node saw, what another reported, and what the allocator keeps back. */
export function findRest(
  { ip }: Pick<AddressCase, 'ip'>,
  snapshot: NodeSnapshot,
): Rest | undefined {
  const { now, wallNow } = snapshot;
  const seenAt = snapshot.wire.conflicts.get(ip)?.at ?? -Infinity;
  const reportedAt = snapshot.reports.get(ip)?.seenAt ?? -Infinity;
  // A report from a clock ahead of ours must not last longer than one from our own.
  const reportedUntil = now + Math.min(reportedAt - wallNow, 0) + conflictRestMs;
  const restsUntil = Math.max(seenAt + conflictRestMs, reportedUntil);
  if (now < restsUntil) return { reason: 'addressConflict', wakeAt: restsUntil };
  const quarantinedUntil = now + (snapshot.quarantine.get(ip) ?? -Infinity) - wallNow;
  if (now < quarantinedUntil) return { reason: 'quarantined', wakeAt: quarantinedUntil };
  return undefined;
}
