/** Whether the BGP daemon is there, as log lines. One that is started beside the agent comes up a moment later. */

import type { SpeakerError } from '../gobgp/speaker.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';

export interface DaemonLogOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly endpoint: string;
}

/** Longer than a container takes to start. */
const patienceMs = 5_000;

export class DaemonLog {
  readonly #options: DaemonLogOptions;
  #cancel: Cancel | undefined;

  constructor(options: DaemonLogOptions) {
    this.#options = options;
  }

  /** Undefined: it is there. */
  note(failure: SpeakerError | undefined): void {
    const { clock, log, endpoint } = this.#options;
    this.stop();
    if (failure === undefined) {
      log.info('Connected to the BGP daemon', { endpoint });
      return;
    }
    const fields = { endpoint, error: failure.message };
    log.debug('BGP daemon does not answer yet', fields);
    this.#cancel = clock.after(patienceMs, () => log.warn('BGP daemon is not there', fields));
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
