/** A client's figures as they grow → ticks for the chart, and losses that are over. */

import type { Tick } from './strip-chart.ts';

export interface Reading {
  readonly sent: number;
  readonly received: number;
  readonly lost: number;
  readonly longestOutageMs: number;
}

export interface PacketCount {
  /** The latest last. What is not answered shows when its time is over. */
  readonly ticks: readonly Tick[];
  readonly last: Reading;
  /** The losses of when everything had been answered again for a while. */
  readonly settledLost: number;
}

export const emptyCount: PacketCount = {
  ticks: [],
  last: { sent: 0, received: 0, lost: 0, longestOutageMs: 0 },
  settledLost: 0,
};

const mostTicks = 600;
/** So many ticks in a row without a loss end an outage. */
const calmTicks = 4;

export function takeReading(before: PacketCount, reading: Reading): PacketCount {
  const { last } = before;
  const sent = reading.received === 0 ? 0 : reading.sent - last.sent;
  const fresh = Math.min(sent, Math.max(0, reading.lost - last.lost));
  const ticks = [...before.ticks, { sent, answered: sent - fresh }].slice(-mostTicks);
  const isCalm = ticks
    .slice(-calmTicks)
    .every((tick) => tick.sent > 0 && tick.answered === tick.sent);
  return { ticks, last: reading, settledLost: isCalm ? reading.lost : before.settledLost };
}
