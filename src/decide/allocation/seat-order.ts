/** Services in the order of their right, kept so while they come and go. */

import type { Decision } from './allocation-plan.ts';
import type { Claimant } from './claimant.ts';
import { compareRight } from './find-claimant.ts';

/** A Service, and what was decided about it last. */
export interface Seat {
  readonly claimant: Claimant;
  decision: Decision;
}

export function compareSeats(left: Seat, right: Seat): number {
  return compareRight(left.claimant, right.claimant);
}

/** So many are looked up one by one; of more it is sooner to sort everything. */
const few = 64;

export class SeatOrder {
  #all: Seat[] = [];

  get all(): readonly Seat[] {
    return this.#all;
  }

  change(gone: readonly Seat[], come: readonly Seat[]): void {
    if (gone.length + come.length > few) {
      const isGone = new Set(gone);
      this.#all = [...this.#all.filter((seat) => !isGone.has(seat)), ...come].sort(compareSeats);
      return;
    }
    for (const seat of gone) this.#all.splice(this.#placeOf(seat), 1);
    for (const seat of come) this.#all.splice(this.#placeOf(seat), 0, seat);
  }

  /** Index of the first that does not come before it. */
  #placeOf(seat: Seat): number {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#all[middle];
      if (other !== undefined && compareSeats(other, seat) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
