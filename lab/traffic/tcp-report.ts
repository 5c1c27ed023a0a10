/** What long-lived connections went through: stalls, resets, reconnects. */

import { type Span, spanOf, stalledMs } from './stalls.ts';

/** A message and its echo. Times are monotonic milliseconds. */
export interface Exchange {
  readonly sentAt: number;
  /** Absent while there is no echo. */
  readonly echoedAt?: number;
}

/** One attempt to connect and what came of it. */
export interface ConnectionLife {
  /** Which of the client's connections; a new life follows on the end of the one before. */
  readonly connection: number;
  readonly triedAt: number;
  /** Absent if it never came up. */
  readonly openedAt?: number;
  /** When it ended, or when the client stopped. */
  readonly endedAt: number;
  /** Error code, or `closed` by the other side; absent if it lived until the client stopped. */
  readonly endedBy?: string;
  readonly exchanges: readonly Exchange[];
}

export interface TcpRecords {
  readonly lives: readonly ConnectionLife[];
  readonly answers: Readonly<Record<string, number>>;
  readonly stallAfterMs: number;
  /** Spans in which the client itself did not run. */
  readonly ownStalls: readonly Span[];
}

export interface ConnectionEnd {
  readonly connection: number;
  readonly at: number;
  readonly reason: string;
  /** How long it had been open; absent if it never was. */
  readonly livedMs?: number;
}

/** No echo for longer than the threshold, although a message was under way. */
export interface TcpStall extends Span {
  readonly connection: number;
}

export interface TcpReport {
  readonly sent: number;
  readonly echoed: number;
  /** Connections that came up, the first of each included. */
  readonly opened: number;
  readonly reconnects: number;
  /** Open connections that the other side, or a router, reset. */
  readonly resets: number;
  /** Every end that was not the client's own wish, failed attempts included; the first thousand. */
  readonly ends: readonly ConnectionEnd[];
  /** The first thousand. */
  readonly stalls: readonly TcpStall[];
  readonly longestStallMs: number;
  /** Who echoed how often. */
  readonly answers: Readonly<Record<string, number>>;
  readonly ownStalls: readonly Span[];
}

const mostListed = 1000;

export function reportOnTcp({ lives, answers, stallAfterMs, ownStalls }: TcpRecords): TcpReport {
  const exchanges = lives.flatMap((life) => life.exchanges);
  const opened = lives.filter(({ openedAt }) => openedAt !== undefined);
  const stalls = lives.flatMap((life) => stallsIn(life, stallAfterMs, ownStalls));
  const ends = lives.flatMap(endOf);
  return {
    sent: exchanges.length,
    echoed: exchanges.filter(({ echoedAt }) => echoedAt !== undefined).length,
    opened: opened.length,
    reconnects: opened.length - new Set(opened.map(({ connection }) => connection)).size,
    resets: ends.filter(({ reason, livedMs }) => reason === 'ECONNRESET' && livedMs !== undefined)
      .length,
    ends: ends.slice(0, mostListed),
    stalls: stalls.slice(0, mostListed),
    longestStallMs: stalls.reduce((longest, { ms }) => Math.max(longest, ms), 0),
    answers,
    ownStalls,
  };
}

function endOf({ connection, openedAt, endedAt, endedBy }: ConnectionLife): ConnectionEnd[] {
  if (endedBy === undefined) return [];
  const livedMs = openedAt === undefined ? {} : { livedMs: endedAt - openedAt };
  return [{ connection, at: endedAt, reason: endedBy, ...livedMs }];
}

/** Waits that overlap are one stall: their messages queued up behind the same hole. */
function stallsIn(
  { connection, exchanges, endedAt }: ConnectionLife,
  stallAfterMs: number,
  ownStalls: readonly Span[],
): readonly TcpStall[] {
  const stalls: TcpStall[] = [];
  for (const { sentAt, echoedAt = endedAt } of exchanges) {
    const waitedMs = echoedAt - sentAt - stalledMs(ownStalls, sentAt, echoedAt);
    if (waitedMs <= stallAfterMs) continue;
    const last = stalls.at(-1);
    const isSame = last !== undefined && sentAt <= last.to;
    if (isSame) stalls.pop();
    const from = isSame ? last.from : sentAt;
    stalls.push({ connection, ...spanOf(from, Math.max(echoedAt, isSame ? last.to : 0)) });
  }
  return stalls;
}
