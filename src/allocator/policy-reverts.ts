/** How often someone set externalTrafficPolicy back after we had rewritten it: a GitOps tool that disagrees with us. */

import type { Clock } from '../runtime/clock.ts';
import { earliest } from './earliest.ts';

const windowMs = 60_000;
/** So many within the window mean that it will go on for ever. */
const tooOften = 3;
/** Who gave up does not try again before everything has been quiet for so long. */
const quietMs = 600_000;

/** Of one Service that we rewrote. */
interface Reverts {
  /** Monotonic, no more than count: whoever toggles a policy for days must not fill our memory. */
  times: readonly number[];
  /** It was too often, and has not been quiet since. */
  isGivenUp: boolean;
}

export class PolicyReverts {
  readonly #clock: Clock;
  readonly #reverts = new Map<string, Reverts>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  noteRewrite(service: string): void {
    if (!this.#reverts.has(service)) {
      this.#reverts.set(service, { times: [], isGivenUp: false });
    }
  }

  /** The policy of a Service has become Local. */
  noteLocal(service: string): void {
    const reverts = this.#reverts.get(service);
    if (reverts === undefined) return;
    reverts.times = [...reverts.times, this.#clock.monotonic()].slice(-tooOften);
    reverts.isGivenUp ||= isTooOften(reverts.times);
  }

  forget(service: string): void {
    this.#reverts.delete(service);
  }

  /** Service → how often lately; without those that nobody set back. */
  counts(): ReadonlyMap<string, number> {
    const now = this.#clock.monotonic();
    const counts = new Map<string, number>();
    for (const [service, reverts] of this.#reverts) {
      const count = countOf(reverts, now);
      if (count > 0) counts.set(service, count);
      else Object.assign(reverts, { times: [], isGivenUp: false });
    }
    return counts;
  }

  /** Monotonic time at which a count changes by itself. */
  nextChangeAt(): number {
    const ends = [...this.#reverts.values()].flatMap(({ times, isGivenUp }) => {
      const last = times.at(-1);
      return last === undefined ? [] : [last + (isGivenUp ? quietMs : windowMs)];
    });
    return earliest(ends);
  }
}

function countOf({ times, isGivenUp }: Reverts, now: number): number {
  const last = times.at(-1);
  if (last === undefined) return 0;
  if (isGivenUp) return now - last < quietMs ? tooOften : 0;
  return times.filter((time) => now - time < windowMs).length;
}

function isTooOften(times: readonly number[]): boolean {
  const [first = 0] = times;
  return times.length === tooOften && (times.at(-1) ?? 0) - first < windowMs;
}
