/** Ranges that do not overlap, each with a value: which one holds an address, which ones a new range would overlap. */

import type { Family } from '../../model/ip.ts';
import type { Range } from '../../model/range.ts';

interface Entry<T> {
  readonly range: Range;
  readonly value: T;
}

export class RangeMap<T> {
  /** By family, in rising order. */
  readonly #entries: Record<Family, Entry<T>[]> = { ipv4: [], ipv6: [] };

  /** The range must overlap none that is here. */
  add(range: Range, value: T): void {
    this.#entries[range.family].splice(this.#firstEndingFrom(range), 0, { range, value });
  }

  find(family: Family, address: bigint): T | undefined {
    const at = { family, first: address, last: address };
    const entry = this.#entries[family][this.#firstEndingFrom(at)];
    return entry !== undefined && entry.range.first <= address ? entry.value : undefined;
  }

  overlapping(range: Range): readonly T[] {
    const entries = this.#entries[range.family];
    const found: T[] = [];
    for (let index = this.#firstEndingFrom(range); index < entries.length; index++) {
      const entry = entries[index];
      if (entry === undefined || entry.range.first > range.last) break;
      found.push(entry.value);
    }
    return found;
  }

  /** Index of the first entry that does not end before the range begins. */
  #firstEndingFrom({ family, first }: Range): number {
    const entries = this.#entries[family];
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle]?.range.last ?? 0n) < first) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
