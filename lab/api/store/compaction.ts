import type { Clock } from '../../../src/runtime/clock.ts';
import type { Store } from './store.ts';

const everyMs = 5 * 60_000;

/** As the real server does, forgets every five minutes what is older than five minutes. It needs no timer. */
export class Compaction {
  readonly #store: Store;
  readonly #clock: Clock;
  #lastAt: number;
  #lastRevision: number;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#lastAt = clock.monotonic();
    this.#lastRevision = store.revision;
  }

  /** Called before each request. */
  run(): void {
    const now = this.#clock.monotonic();
    if (now - this.#lastAt < everyMs) return;
    this.#store.compact(this.#lastRevision);
    this.#lastAt = now;
    this.#lastRevision = this.#store.revision;
  }
}
