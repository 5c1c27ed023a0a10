/**
 * What became of rewriting externalTrafficPolicy: how often someone set it back (a GitOps tool that disagrees with us) or
 * the change failed (an admission hook that forbids it), and whether the Service's condition tells of it.
 */

import type { PolicyRewrite } from '../decide/allocation/allocation-state.ts';
import type { Clock } from '../runtime/clock.ts';
import { earliest } from './earliest.ts';

const windowMs = 60_000;
/** This many setbacks within the window mean that it will go on for ever. */
const tooOften = 3;
/** After giving up the allocator does not try again before there was no setback for this long. */
const quietMs = 600_000;
/** A hook may answer with a page of text. */
const longestRefusal = 200;

/** Of one Service. */
interface Rewrites {
  /** Of setbacks, monotonic; no more than count: whoever toggles a policy for days must not fill our memory. */
  times: readonly number[];
  /** There were too many, and it has not been quiet since. */
  isGivenUp: boolean;
  /** Why the last setback came, if the change failed. */
  refusal: string | undefined;
  isUntold: boolean;
}

export class PolicyRewrites {
  readonly #clock: Clock;
  readonly #rewrites = new Map<string, Rewrites>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  noteRewrite(service: string): void {
    this.#of(service).isUntold = true;
  }

  /** The Service's status was written, with all that was to be told. */
  noteTold(service: string): void {
    const rewrites = this.#rewrites.get(service);
    if (rewrites !== undefined) rewrites.isUntold = false;
  }

  /** The policy of a Service has become Local. */
  noteLocal(service: string): void {
    const rewrites = this.#rewrites.get(service);
    if (rewrites !== undefined) this.#noteSetback(rewrites, undefined);
  }

  /** The API server did not take the change, or changed it back at once. */
  noteFailure(service: string, why: string): void {
    const isLong = why.length > longestRefusal;
    this.#noteSetback(this.#of(service), isLong ? `${why.slice(0, longestRefusal)}…` : why);
  }

  forget(service: string): void {
    this.#rewrites.delete(service);
  }

  /** By the Service's key; without those of which there is nothing to know. */
  known(): ReadonlyMap<string, PolicyRewrite> {
    const now = this.#clock.monotonic();
    const known = new Map<string, PolicyRewrite>();
    for (const [service, rewrites] of this.#rewrites) {
      const setbacks = countOf(rewrites, now);
      if (setbacks === 0) Object.assign(rewrites, { times: [], isGivenUp: false });
      const { refusal, isUntold } = rewrites;
      if (setbacks > 0 || isUntold) known.set(service, { setbacks, refusal, isUntold });
    }
    return known;
  }

  /** Monotonic time at which a count changes by itself. */
  nextChangeAt(): number {
    const ends = [...this.#rewrites.values()].flatMap(({ times, isGivenUp }) => {
      const last = times.at(-1);
      return last === undefined ? [] : [last + (isGivenUp ? quietMs : windowMs)];
    });
    return earliest(ends);
  }

  #of(service: string): Rewrites {
    const known = this.#rewrites.get(service);
    if (known !== undefined) return known;
    const rewrites = { times: [], isGivenUp: false, refusal: undefined, isUntold: false };
    this.#rewrites.set(service, rewrites);
    return rewrites;
  }

  #noteSetback(rewrites: Rewrites, refusal: string | undefined): void {
    rewrites.times = [...rewrites.times, this.#clock.monotonic()].slice(-tooOften);
    rewrites.isGivenUp ||= isTooOften(rewrites.times);
    rewrites.refusal = refusal;
    rewrites.isUntold = false;
  }
}

function countOf({ times, isGivenUp }: Rewrites, now: number): number {
  const last = times.at(-1);
  if (last === undefined) return 0;
  if (isGivenUp) return now - last < quietMs ? tooOften : 0;
  return times.filter((time) => now - time < windowMs).length;
}

function isTooOften(times: readonly number[]): boolean {
  const [first = 0] = times;
  return times.length === tooOften && (times.at(-1) ?? 0) - first < windowMs;
}
