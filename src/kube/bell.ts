import { type Clock, sleep } from '../runtime/clock.ts';
import { RequestScope } from './request-scope.ts';

/** Lets a loop sleep until something happens; a ring while nobody waits is heard by the next who does. */
export class Bell {
  #isRung = false;
  #wake = () => {};

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Returns when rung, when the time is over, or when the signal is aborted. */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    const scope = new RequestScope(signal);
    this.#wake = () => scope.abort(undefined);
    try {
      if (!this.#isRung) await sleep(clock, ms, scope.signal).catch(() => {});
    } finally {
      this.#isRung = false;
      scope.close();
    }
  }
}
