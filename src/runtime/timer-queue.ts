/** Callbacks by due time, first come first served among equals: a binary heap that forgets cancelled entries. */

import type { Cancel } from './clock.ts';

interface Entry {
  readonly due: number;
  readonly sequence: number;
  /** Absent once cancelled: the entry is dropped when it comes to the top, or when too many gathered. */
  callback: (() => void) | undefined;
}

export class TimerQueue {
  #heap: Entry[] = [];
  #sequence = 0;
  #cancelled = 0;

  add(due: number, callback: () => void): Cancel {
    const entry: Entry = { due, sequence: this.#sequence++, callback };
    this.#heap.push(entry);
    this.#rise(this.#heap.length - 1);
    return () => {
      if (entry.callback === undefined) return;
      entry.callback = undefined;
      this.#cancelled++;
      if (this.#cancelled > 32 && this.#cancelled > this.#heap.length / 2) this.#compact();
    };
  }

  get size(): number {
    return this.#heap.length - this.#cancelled;
  }

  /** Entries in memory, cancelled ones included. */
  get slots(): number {
    return this.#heap.length;
  }

  nextDue(): number | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (top.callback !== undefined) return top.due;
      this.#cancelled--;
      this.#removeTop();
    }
    return undefined;
  }

  /** Takes the callback that `nextDue` told of. */
  take(): (() => void) | undefined {
    if (this.nextDue() === undefined) return undefined;
    const top = this.#removeTop();
    const callback = top?.callback;
    if (top !== undefined) top.callback = undefined;
    return callback;
  }

  #compact(): void {
    this.#heap = this.#heap.filter(({ callback }) => callback !== undefined).sort(compareEntries);
    this.#cancelled = 0;
  }

  #removeTop(): Entry | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && last !== top) {
      this.#heap[0] = last;
      this.#sink();
    }
    return top;
  }

  #rise(start: number): void {
    const heap = this.#heap;
    const entry = heap[start];
    if (entry === undefined) return;
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || compareEntries(above, entry) <= 0) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #sink(): void {
    const heap = this.#heap;
    const [entry] = heap;
    if (entry === undefined) return;
    let index = 0;
    for (;;) {
      const child = this.#firstBelow(index);
      const below = heap[child];
      if (below === undefined || compareEntries(entry, below) <= 0) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = entry;
  }

  /** The one of the two below it that is due first. */
  #firstBelow(index: number): number {
    const left = index * 2 + 1;
    const one = this.#heap[left];
    const other = this.#heap[left + 1];
    return one !== undefined && other !== undefined && compareEntries(other, one) < 0
      ? left + 1
      : left;
  }
}

function compareEntries(left: Entry, right: Entry): number {
  return left.due - right.due || left.sequence - right.sequence;
}
