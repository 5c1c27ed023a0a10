/** After writes that failed: when to try again, all of them or one object alone. */

import { type Backoff, backoffDelay } from '../runtime/backoff.ts';
import type { Clock } from '../runtime/clock.ts';
import { earliest } from './earliest.ts';

const forAll: Backoff = { firstMs: 100, factor: 2, longestMs: 5_000, jitter: 0.3 };
const forOne: Backoff = { firstMs: 200, factor: 2, longestMs: 300_000, jitter: 0.3 };
const longestHintMs = 30_000;

interface Setback {
  /** Of the object that was to be written: a newer one deserves a fresh try. */
  readonly version: string;
  readonly failures: number;
  readonly notBefore: number;
}

export class WritePace {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #setbacks = new Map<string, Setback>();
  #failures = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The server cannot take anything now. Those that were sent together fail together, and count once. */
  pauseAll(hintMs = 0): void {
    const now = this.#clock.monotonic();
    if (now < this.#pausedUntil) return;
    this.#failures += 1;
    const delayMs = backoffDelay(forAll, this.#failures, this.#random);
    this.#pausedUntil = now + Math.max(delayMs, Math.min(hintMs, longestHintMs));
  }

  /** How long everything has to wait. */
  get pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.monotonic());
  }

  /** Returns how long this object has to wait. */
  setBack(key: string, version: string): number {
    const known = this.#setbacks.get(key);
    const failures = known?.version === version ? known.failures + 1 : 1;
    const delayMs = backoffDelay(forOne, failures, this.#random);
    const notBefore = this.#clock.monotonic() + delayMs;
    this.#setbacks.set(key, { version, failures, notBefore });
    return delayMs;
  }

  noteSuccess(key: string): void {
    this.#failures = 0;
    this.#setbacks.delete(key);
  }

  mayTry(key: string, version: string): boolean {
    const setback = this.#setbacks.get(key);
    if (setback === undefined || setback.version !== version) return true;
    return setback.notBefore <= this.#clock.monotonic();
  }

  /** Monotonic time of the next try that somebody waits for: those in the past were let go by. */
  nextTryAt(): number {
    const now = this.#clock.monotonic();
    const times = [...this.#setbacks.values()].map(({ notBefore }) => notBefore);
    return earliest(times.filter((time) => time > now));
  }

  forget(key: string): void {
    this.#setbacks.delete(key);
  }

  clear(): void {
    this.#setbacks.clear();
    this.#failures = 0;
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
  }
}
