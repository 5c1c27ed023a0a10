/** Numbers of packets sent and answered, as they grow → ticks, losses and gaps. */

import type { Tick } from './strip-chart.ts';

export interface PacketCount {
  /** The latest last; each is about the packets that were sent a tick before, so that their answers had time to come. */
  readonly ticks: readonly Tick[];
  readonly lost: number;
  readonly longestGapMs: number;
  readonly sent: number;
  readonly received: number;
  /** In the last tick. */
  readonly sentLately: number;
  /** Of those sent a tick ago or earlier, not answered so far. */
  readonly missing: number;
  /** How long nothing has been answered. */
  readonly gapMs: number;
  /** Sent before the first answer: the address was not there yet. Undefined until then. */
  readonly early: number | undefined;
}

export const emptyCount: PacketCount = {
  ticks: [],
  lost: 0,
  longestGapMs: 0,
  sent: 0,
  received: 0,
  sentLately: 0,
  missing: 0,
  gapMs: 0,
  early: undefined,
};

const mostTicks = 600;

export function takeReading(
  before: PacketCount,
  { sent, received }: { readonly sent: number; readonly received: number },
  tickMs: number,
): PacketCount {
  const early = before.early ?? (received > 0 ? before.sent : undefined);
  if (early === undefined) return { ...before, sent, ticks: [...before.ticks, noTick] };
  const missing = Math.max(0, before.sent - early - received);
  const fresh = Math.min(before.sentLately, Math.max(0, missing - before.missing));
  const gapMs = received > before.received ? 0 : before.gapMs + tickMs;
  const tick = { sent: before.sentLately, answered: before.sentLately - fresh };
  return {
    ticks: [...before.ticks, tick].slice(-mostTicks),
    lost: Math.max(before.lost, missing),
    longestGapMs: Math.max(before.longestGapMs, gapMs),
    sent,
    received,
    sentLately: sent - Math.max(before.sent, early),
    missing,
    gapMs,
    early,
  };
}

const noTick: Tick = { sent: 0, answered: 0 };
