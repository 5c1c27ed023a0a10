/** Hears what happens at the daemon, and whether it is there, for as long as it takes. */

import { type Speaker, SpeakerError } from '../gobgp/speaker.ts';
import { isAbort } from '../runtime/abort.ts';
import { type Backoff, backoffDelay } from '../runtime/backoff.ts';
import { type Clock, sleep } from '../runtime/clock.ts';

export interface DaemonWatchSetup {
  readonly speaker: Pick<Speaker, 'watch'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onNews: () => void;
  /** Undefined: it is there (again). */
  readonly onChange: (failure: SpeakerError | undefined) => void;
}

/** It is on this machine: asking costs nothing, and a restart should be noticed at once. */
const backoff: Backoff = { firstMs: 50, factor: 2, longestMs: 1_000, jitter: 0.2 };

export class DaemonWatch {
  readonly #setup: DaemonWatchSetup;
  #failures = 0;
  #isConnected = false;

  constructor(setup: DaemonWatchSetup) {
    this.#setup = setup;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#setup;
    while (!signal.aborted) {
      await this.#watch(signal).catch((error: unknown) => this.#noteFailure(error, signal));
      await sleep(clock, backoffDelay(backoff, this.#failures, random), signal).catch(() => {});
    }
  }

  #noteFailure(error: unknown, signal: AbortSignal): void {
    if (isAbort(error, signal)) return;
    if (!(error instanceof SpeakerError)) throw error;
    this.#failures += 1;
    this.#isConnected = false;
    if (this.#failures === 1) this.#setup.onChange(error);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { speaker, onNews, onChange } = this.#setup;
    let isNew = true;
    await speaker.watch(() => {
      if (isNew) {
        this.#failures = 0;
        this.#isConnected = true;
        onChange(undefined);
      }
      isNew = false;
      onNews();
    }, signal);
  }
}
