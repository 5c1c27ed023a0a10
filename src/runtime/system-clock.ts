import { type Cancel, type Clock, checkDelay } from './clock.ts';

/** Of a signed 32-bit number; Node turns a longer time-out into one of 1 ms. */
export const longestTimeoutMs = 2 ** 31 - 1;

/** From here on a wait is rather a millisecond too long than to wake the process twice. */
const longMs = 50;

/** What the system clock stands on; replaced only to test it. */
export interface Timers {
  monotonic(): number;
  setTimeout(callback: () => void, ms: number): Cancel;
  setImmediate(callback: () => void): Cancel;
}

const nodeTimers: Timers = {
  monotonic: () => performance.now(),
  setTimeout: (callback, ms) => {
    const timeout = setTimeout(callback, ms);
    return () => clearTimeout(timeout);
  },
  setImmediate: (callback) => {
    const immediate = setImmediate(callback);
    return () => clearImmediate(immediate);
  },
};

export interface SystemClockOptions {
  readonly timers?: Timers;
  /** Told of each wait that is over, how much longer it took. */
  readonly onLate?: (lateMs: number) => void;
}

/** The machine's own time. */
export class SystemClock implements Clock {
  readonly #timers: Timers;
  readonly #onLate: (lateMs: number) => void;

  constructor({ timers = nodeTimers, onLate = () => {} }: SystemClockOptions = {}) {
    this.#timers = timers;
    this.#onLate = onLate;
  }

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return this.#timers.monotonic();
  }

  after(ms: number, callback: () => void): Cancel {
    checkDelay(ms);
    if (ms <= 0) return this.#timers.setImmediate(callback);
    if (ms === Infinity) return () => {};
    const due = this.monotonic() + ms;
    let cancel: Cancel = () => {};
    const arm = () => {
      // libuv counts whole milliseconds of a cached time, so a time-out may fire a fraction too early.
      const early = due - this.monotonic();
      if (early > 0) wait(Math.ceil(early));
      else {
        this.#onLate(-early);
        callback();
      }
    };
    const wait = (remaining: number) => {
      const ms = remaining < longMs ? remaining : remaining + 1;
      cancel = this.#timers.setTimeout(arm, Math.min(ms, longestTimeoutMs));
    };
    wait(Math.ceil(ms));
    return () => cancel();
  }
}
