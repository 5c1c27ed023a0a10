/** How often someone set externalTrafficPolicy back after we had rewritten it: a GitOps tool that disagrees with us. */

import type { Clock } from '../runtime/clock.ts';

const windowMs = 60_000;
/** So many within the window mean that it will go on for ever. */
const tooOften = 3;
/** Who gave up does not try again before everything has been quiet for so long. */
const quietMs = 600_000;

export class PolicyReverts {
  readonly #clock: Clock;
  /** Services that we rewrote, and when it was undone. */
  readonly #reverts = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  noteRewrite(service: string): void {
    if (!this.#reverts.has(service)) this.#reverts.set(service, []);
  }

  /** The policy of a Service has become Local. */
  noteLocal(service: string): void {
    this.#reverts.get(service)?.push(this.#clock.monotonic());
  }

  forget(service: string): void {
    this.#reverts.delete(service);
  }

  /** Service → how often lately; without those that nobody set back. */
  counts(): ReadonlyMap<string, number> {
    const now = this.#clock.monotonic();
    const counts = new Map<string, number>();
    for (const [service, times] of this.#reverts) {
      const count = countOf(times, now);
      if (count > 0) counts.set(service, count);
      else times.length = 0;
    }
    return counts;
  }

  /** Monotonic time at which a count changes by itself. */
  nextChangeAt(): number {
    const ends = [...this.#reverts.values()].flatMap((times) => {
      const last = times.at(-1);
      return last === undefined ? [] : [last + (isTooOften(times) ? quietMs : windowMs)];
    });
    return Math.min(Infinity, ...ends);
  }
}

function countOf(times: readonly number[], now: number): number {
  const last = times.at(-1);
  if (last === undefined) return 0;
  if (isTooOften(times)) return now - last < quietMs ? tooOften : 0;
  return times.filter((time) => now - time < windowMs).length;
}

/** Once it was, it stays so until it is quiet. */
function isTooOften(times: readonly number[]): boolean {
  return times.some((time, index) => {
    const before = times[index - tooOften + 1];
    return before !== undefined && time - before < windowMs;
  });
}
