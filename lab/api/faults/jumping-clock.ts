import type { Cancel, Clock } from '../../../src/runtime/clock.ts';

/** A clock whose wall time can be set apart from everybody else's; durations stay right. */
export class JumpingClock implements Clock {
  readonly #clock: Clock;
  #offsetMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, callback: () => void): Cancel {
    return this.#clock.after(ms, callback);
  }

  jump(ms: number): void {
    this.#offsetMs += ms;
  }
}
