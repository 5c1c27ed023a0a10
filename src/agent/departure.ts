/** An agent that ends and hands over what it holds waits until that is done, and no longer than it may. */

import type { Placing } from '../decide/announcement/place-addresses.ts';
import type { PlacementReason } from '../model/placement-reasons.ts';
import type { Clock } from '../runtime/clock.ts';

/** What is being taken over from another, or has been just now, is handed on with the next pass. */
const unfinished: ReadonlySet<PlacementReason> = new Set(['handingOver', 'takingOver']);

export class Departure {
  readonly #clock: Clock;
  #isUnderWay = false;
  #end: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** Resolves when everything is handed over that can be, or when the time is up. */
  async begin(withinMs: number): Promise<void> {
    this.#isUnderWay = true;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(withinMs, resolve);
      this.#end = () => {
        cancel();
        resolve();
      };
    });
  }

  /** What was decided, by an agent that was about to end. */
  note({ decisions }: Placing): void {
    const isOpen = decisions.some(
      ({ reason, outcome, handover }) =>
        unfinished.has(reason) || handover?.role === 'settled' || outcome.kind === 'leave',
    );
    if (!isOpen) this.#end();
  }
}
