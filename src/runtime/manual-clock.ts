import { type Cancel, type Clock, checkDelay } from './clock.ts';
import { TimerQueue } from './timer-queue.ts';

/** More callbacks than this at one instant mean that somebody wakes himself for ever. */
const mostCallbacksPerInstant = 100_000;

/**
 * A clock that stands still until it is advanced: hours pass in milliseconds, always in the same order. Between two
 * callbacks every promise that can settle without the outside world does so, as on the real event loop.
 */
export class ManualClock implements Clock {
  /** Called after each callback and what followed from it: for whoever must see every state that there was. */
  onStep: () => void = () => {};
  readonly #timers = new TimerQueue();
  #monotonic = 0;
  /** Wall time at monotonic 0. */
  #wallOffset: number;
  #isAdvancing = false;

  constructor(wall = Date.UTC(2026, 0, 1)) {
    this.#wallOffset = wall;
  }

  now(): number {
    return Math.floor(this.#wallOffset + this.#monotonic);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, callback: () => void): Cancel {
    checkDelay(ms);
    if (ms === Infinity) return () => {};
    return this.#timers.add(this.#monotonic + Math.max(0, ms), callback);
  }

  /** Monotonic time of the next callback, if any waits: lets a simulation jump there. */
  nextDue(): number | undefined {
    return this.#timers.nextDue();
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Lets time pass, calling back whatever becomes due on the way, at its own time. */
  async advance(ms: number): Promise<void> {
    if (this.#isAdvancing) throw new Error('the clock is being advanced already: await that first');
    this.#isAdvancing = true;
    try {
      await this.#advanceTo(this.#monotonic + ms);
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** Lets what is due now happen, and what follows from it without time passing. */
  async settle(): Promise<void> {
    await this.advance(0);
  }

  /** Time passes while the process does not run (SIGSTOP, a paused machine): timers are late. */
  stall(ms: number): void {
    this.#monotonic += ms;
  }

  /** The wall clock is set; monotonic time and timers do not notice. */
  jumpWall(ms: number): void {
    this.#wallOffset += ms;
  }

  async #advanceTo(end: number): Promise<void> {
    await drainMicrotasks();
    let atThisInstant = 0;
    for (let due = this.nextDue(); due !== undefined && due <= end; due = this.nextDue()) {
      atThisInstant = due > this.#monotonic ? 1 : atThisInstant + 1;
      if (atThisInstant > mostCallbacksPerInstant) {
        throw new Error(`time stands still: ${mostCallbacksPerInstant} callbacks at ${due} ms`);
      }
      this.#monotonic = Math.max(this.#monotonic, due);
      this.#timers.take()?.();
      await drainMicrotasks();
      this.onStep();
    }
    this.#monotonic = end;
  }
}

/** Node empties the whole microtask queue before the next tick runs: cheaper than a turn of the event loop. */
function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
