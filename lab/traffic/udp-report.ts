/** What a run of numbered packets tells: what was lost, when and for how long, and who answered. */

import { type Span, spanOf, stalledMs } from './stalls.ts';

/** One entry for each packet, by its number. Times are monotonic milliseconds. */
export interface UdpRecords {
  readonly sentAt: ArrayLike<number>;
  /** NaN where no answer came. */
  readonly answeredAt: ArrayLike<number>;
  /** Index into `responders`; of no meaning where no answer came. */
  readonly answeredBy: ArrayLike<number>;
  readonly responders: readonly string[];
  /** Answers to packets that had been answered already. */
  readonly duplicates: number;
  /** Spans in which the client itself did not run. */
  readonly stalls: readonly Span[];
  /** When the client stopped sending. */
  readonly endedAt: number;
  /** An answer after more than this, not counting own stalls, is late. */
  readonly lateAfterMs: number;
}

/**
 * Packets in a row of which none was answered in time and at least one never. Starts when the first of them was
 * sent and ends when the first answered packet after them was sent.
 */
export interface Outage extends Span {
  readonly lost: number;
  readonly late: number;
  /** How much of `ms` the client itself stood still: nobody knows whether the network worked then. */
  readonly stalledMs: number;
  /** Not over when the client stopped. */
  readonly isOpen: boolean;
}

export interface UdpReport {
  readonly sent: number;
  /** Packets that were answered, whether late or in time. */
  readonly received: number;
  readonly lost: number;
  readonly late: number;
  readonly duplicates: number;
  /** In order of time; the longest ones if there are too many to list. */
  readonly outages: readonly Outage[];
  readonly outageCount: number;
  readonly longestOutageMs: number;
  readonly responders: readonly Responder[];
  /** How often a packet was answered by another responder than the one before it. */
  readonly responderChanges: number;
  readonly roundTripMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** When the first answered packet was sent; absent if none was. */
  readonly firstAnsweredAt?: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly stalls: readonly Span[];
  readonly longestStallMs: number;
}

export interface Responder {
  readonly id: string;
  readonly answers: number;
  /** When the first and the last packet that it answered were sent. */
  readonly from: number;
  readonly to: number;
}

const mostListed = 1000;

export function reportOn(records: UdpRecords): UdpReport {
  const { sentAt, answeredAt, stalls, duplicates, endedAt } = records;
  const verdicts = verdictsOf(records);
  const outages = findOutages(records, verdicts);
  const roundTrips = numbersOf(records, verdicts, (verdict) => verdict !== 'lost')
    .map((number) => (answeredAt[number] ?? 0) - (sentAt[number] ?? 0))
    .sort((left, right) => left - right);
  const firstAnswered = verdicts.findIndex((verdict) => verdict !== 'lost');
  return {
    sent: sentAt.length,
    received: roundTrips.length,
    lost: sentAt.length - roundTrips.length,
    late: verdicts.filter((verdict) => verdict === 'late').length,
    duplicates,
    outages: longest(outages),
    outageCount: outages.length,
    longestOutageMs: Math.max(0, ...longest(outages).map(({ ms }) => ms)),
    ...respondersIn(records, verdicts),
    roundTripMs: {
      p50: percentile(roundTrips, 0.5),
      p99: percentile(roundTrips, 0.99),
      max: percentile(roundTrips, 1),
    },
    ...(firstAnswered < 0 ? {} : { firstAnsweredAt: sentAt[firstAnswered] ?? 0 }),
    startedAt: sentAt[0] ?? endedAt,
    endedAt,
    stalls: longest(stalls),
    longestStallMs: Math.max(0, ...longest(stalls).map(({ ms }) => ms)),
  };
}

type Verdict = 'in time' | 'late' | 'lost';

function verdictsOf(records: UdpRecords): readonly Verdict[] {
  const { sentAt, answeredAt, stalls, lateAfterMs } = records;
  return Array.from(sentAt, (sent, number): Verdict => {
    const answered = answeredAt[number] ?? Number.NaN;
    if (Number.isNaN(answered)) return 'lost';
    if (answered - sent <= lateAfterMs) return 'in time';
    return answered - sent - stalledMs(stalls, sent, answered) > lateAfterMs ? 'late' : 'in time';
  });
}

function findOutages(records: UdpRecords, verdicts: readonly Verdict[]): readonly Outage[] {
  const { sentAt, endedAt, stalls } = records;
  const outages: Outage[] = [];
  let first = 0;
  while (first < verdicts.length) {
    let next = first;
    while (next < verdicts.length && verdicts[next] !== 'in time') next += 1;
    const lost = verdicts.slice(first, next).filter((verdict) => verdict === 'lost').length;
    if (lost > 0) {
      const span = spanOf(sentAt[first] ?? endedAt, sentAt[next] ?? endedAt);
      outages.push({
        ...span,
        lost,
        late: next - first - lost,
        stalledMs: stalledMs(stalls, span.from, span.to),
        isOpen: next === verdicts.length,
      });
    }
    first = next + 1;
  }
  return outages;
}

function respondersIn(
  { sentAt, answeredBy, responders }: UdpRecords,
  verdicts: readonly Verdict[],
): Pick<UdpReport, 'responders' | 'responderChanges'> {
  const seen = new Map<number, Responder>();
  let changes = 0;
  let last: number | undefined;
  for (const [number, verdict] of verdicts.entries()) {
    if (verdict === 'lost') continue;
    const who = answeredBy[number] ?? 0;
    const at = sentAt[number] ?? 0;
    const known = seen.get(who) ?? { id: responders[who] ?? '?', answers: 0, from: at, to: at };
    seen.set(who, { ...known, answers: known.answers + 1, to: at });
    if (last !== undefined && last !== who) changes += 1;
    last = who;
  }
  return { responders: [...seen.values()], responderChanges: changes };
}

function numbersOf(
  { sentAt }: UdpRecords,
  verdicts: readonly Verdict[],
  isWanted: (verdict: Verdict) => boolean,
): readonly number[] {
  const numbers = Array.from(sentAt, (_, number) => number);
  return numbers.filter((number) => isWanted(verdicts[number] ?? 'lost'));
}

/** The smallest value that the given share of all values does not exceed; 0 of none. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function longest<T extends Span>(spans: readonly T[]): readonly T[] {
  if (spans.length <= mostListed) return spans;
  const kept = [...spans].sort((left, right) => right.ms - left.ms).slice(0, mostListed);
  return kept.sort((left, right) => left.from - right.from);
}
