/** The three kinds of series: each holds the value of one metric for one set of label values. */

import { formatSample, formatValue } from './metric-text.ts';

export interface Series {
  /** Sample lines under the given label text, which is empty for a metric without labels. */
  render(name: string, labels: string): string;
}

export class Counter implements Series {
  #value = 0;

  add(amount = 1): void {
    if (!(amount >= 0)) throw new RangeError(`a counter only grows: it cannot add ${amount}`);
    this.#value += amount;
  }

  get value(): number {
    return this.#value;
  }

  /** Only for totals that something else counts, such as the kernel. */
  setTotal(value: number): void {
    this.#value = value;
  }

  render(name: string, labels: string): string {
    return formatSample(name, labels, this.#value);
  }
}

export class Gauge implements Series {
  #value = 0;

  set(value: number): void {
    this.#value = value;
  }

  add(amount: number): void {
    this.#value += amount;
  }

  get value(): number {
    return this.#value;
  }

  render(name: string, labels: string): string {
    return formatSample(name, labels, this.#value);
  }
}

export class Histogram implements Series {
  readonly #bounds: readonly number[];
  /** How many fell into each bucket alone; the last is for what is above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    if (Number.isNaN(value)) throw new RangeError('a histogram cannot observe NaN');
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const index = found < 0 ? this.#bounds.length : found;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  render(name: string, labels: string): string {
    const prefix = labels === '' ? '' : `${labels},`;
    let count = 0;
    let text = '';
    for (const [index, inBucket] of this.#counts.entries()) {
      count += inBucket;
      const bound = formatValue(this.#bounds[index] ?? Infinity);
      text += formatSample(`${name}_bucket`, `${prefix}le="${bound}"`, count);
    }
    const sum = formatSample(`${name}_sum`, labels, this.#sum);
    return `${text}${sum}${formatSample(`${name}_count`, labels, count)}`;
  }
}

/** Seconds, from a quick call to a slow one. */
export const defaultBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** `count` bounds, each `factor` times the one before. */
export function exponentialBuckets(
  start: number,
  factor: number,
  count: number,
): readonly number[] {
  return Array.from({ length: count }, (_, index) => start * factor ** index);
}

export function checkBuckets(metric: string, bounds: readonly number[]): void {
  const isAscending = bounds.every((bound, index) => bound > (bounds[index - 1] ?? -Infinity));
  if (bounds.length > 0 && isAscending && bounds.every(Number.isFinite)) return;
  throw new TypeError(
    `${metric}: bucket bounds must be finite and ascend, not [${bounds.join(', ')}]`,
  );
}
