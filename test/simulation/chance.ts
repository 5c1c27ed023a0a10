/** Chance that repeats: xorshift of 32 bits. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 2_654_435_761) >>> 0 || 1;
    for (let turn = 0; turn < 8; turn += 1) this.below(2);
  }

  /** A whole number from 0 to below the limit. */
  below(limit: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return this.#state % limit;
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  isOneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  }
}
