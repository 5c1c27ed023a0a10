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

  find(claimant: Claimant): Seat | undefined {
    const seat = this.#all[this.#placeOf(claimant)];
    return seat?.claimant === claimant ? seat : undefined;
  }

  change(gone: readonly Seat[], come: readonly Seat[]): void {
    if (gone.length + come.length > few) {
      const isGone = new Set(gone);
      this.#all = [...this.#all.filter((seat) => !isGone.has(seat)), ...come].sort(compareSeats);
      return;
    }
    for (const seat of gone) this.#all.splice(this.#placeOf(seat.claimant), 1);
    for (const seat of come) this.#all.splice(this.#placeOf(seat.claimant), 0, seat);
  }

  /** Index of the first that does not come before it. */
  #placeOf(claimant: Claimant): number {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#all[middle];
      if (other !== undefined && compareRight(other.claimant, claimant) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
