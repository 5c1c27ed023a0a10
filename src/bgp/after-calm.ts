/** Calls once it has been calm for a while, and however restless it stays, not much later than that. */

import type { Cancel, Clock } from '../runtime/clock.ts';

export interface AfterCalmOptions {
  readonly clock: Clock;
  readonly calmMs: number;
  /** From the first unrest. */
  readonly longestMs: number;
  readonly act: () => void;
}

export class AfterCalm {
  readonly #options: AfterCalmOptions;
  #planned: { readonly latest: number; readonly cancel: Cancel } | undefined;

  constructor(options: AfterCalmOptions) {
    this.#options = options;
  }

  get isPlanned(): boolean {
    return this.#planned !== undefined;
  }

  /** Something has moved. */
  note(): void {
    const { clock, calmMs, longestMs } = this.#options;
    const now = clock.monotonic();
    const latest = this.#planned?.latest ?? now + longestMs;
    this.#planned?.cancel();
    const delay = Math.max(0, Math.min(calmMs, latest - now));
    this.#planned = { latest, cancel: clock.after(delay, () => this.#act()) };
  }

  stop(): void {
    this.#planned?.cancel();
    this.#planned = undefined;
  }

  #act(): void {
    this.#planned = undefined;
    this.#options.act();
  }
}
