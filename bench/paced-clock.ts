/**
 * One clock for many simulated machines on one thread. It runs as fast as real time while the thread has nothing to do
 * and nearly stands still while it computes: each machine lives as if it had a processor of its own, and requests to
 * servers outside of the process are answered all the same.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../lab/monotonic.ts';
import { ManualClock } from '../src/runtime/manual-clock.ts';

/** The most that passes between two looks at sockets, however long the thread was busy. */
const longestStepMs = 2;
const shortestWaitMs = 1;

export class PacedClock extends ManualClock {
  #isRunning = true;
  readonly #ended: Promise<void>;

  constructor() {
    super(Date.now());
    this.#ended = this.#run();
  }

  /** Resolves when the clock stands still. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#ended;
  }

  async #run(): Promise<void> {
    let last = monotonicMs();
    while (this.#isRunning) {
      await sleep(shortestWaitMs);
      const now = monotonicMs();
      await this.advance(Math.min(now - last, longestStepMs));
      last = now;
    }
  }
}
