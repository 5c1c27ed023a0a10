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

/** The machine's own time. */
export class SystemClock implements Clock {
  readonly #timers: Timers;

  constructor(timers: Timers = nodeTimers) {
    this.#timers = timers;
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
      const remaining = Math.ceil(due - this.monotonic());
      const ms = remaining < longMs ? remaining : remaining + 1;
      if (remaining <= 0) callback();
      else cancel = this.#timers.setTimeout(arm, Math.min(ms, longestTimeoutMs));
    };
    arm();
    return () => cancel();
  }
}
