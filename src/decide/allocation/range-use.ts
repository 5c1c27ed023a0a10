/**
 * One range of a pool: what of it is in use, and the lowest address that is free. The search moves up only, and back
 * only to what has come free: all searches together cost as much as there are addresses in use, never as many as the
 * range has.
 */

import type { ClusterSource, Pool, PoolRange } from '../../model/pool.ts';
import { rangeSize } from '../../model/range.ts';
import { WithheldAddresses } from './withheld-addresses.ts';

export class RangeUse {
  readonly pool: Pool;
  readonly at: PoolRange;
  readonly #withheld: WithheldAddresses;
  readonly #inUse = new Set<bigint>();
  readonly #blocked = new Set<bigint>();
  /** What is withheld may be in use from earlier days, and must not be counted twice. */
  #withheldInUse = 0;
  /** Nothing below it is free. */
  #next: bigint;

  constructor(pool: Pool, source: ClusterSource, at: PoolRange) {
    this.pool = pool;
    this.at = at;
    this.#withheld = new WithheldAddresses(at, source.avoidsEdges);
    this.#next = at.range.first;
  }

  /** Distinct addresses. */
  get inUse(): number {
    return this.#inUse.size;
  }

  use(value: bigint): void {
    if (this.#inUse.has(value)) return;
    this.#inUse.add(value);
    if (this.#withheld.has(value)) this.#withheldInUse += 1;
  }

  /** Nobody is on it any more. */
  free(value: bigint): void {
    if (!this.#inUse.delete(value)) return;
    if (this.#withheld.has(value)) this.#withheldInUse -= 1;
    this.#stepBackTo(value);
  }

  /** Not for whoever comes along, though perhaps for someone who has a claim on it. */
  block(value: bigint): void {
    this.#blocked.add(value);
  }

  unblockAll(): void {
    for (const value of this.#blocked) this.#stepBackTo(value);
    this.#blocked.clear();
  }

  #stepBackTo(value: bigint): void {
    if (value < this.#next) this.#next = value;
  }

  isWithheld(value: bigint): boolean {
    return this.#withheld.has(value);
  }

  lowestFree(): bigint | undefined {
    for (;;) {
      this.#next = this.#withheld.skipFrom(this.#next);
      if (this.#next > this.at.range.last) return undefined;
      if (!this.#inUse.has(this.#next) && !this.#blocked.has(this.#next)) return this.#next;
      this.#next += 1n;
    }
  }

  /** Free addresses in the order in which they are given out, the lowest first; at most so many. */
  nextFree(count: number): readonly bigint[] {
    const found: bigint[] = [];
    let next = this.lowestFree();
    while (next !== undefined && next <= this.at.range.last && found.length < count) {
      if (!this.#inUse.has(next) && !this.#blocked.has(next)) found.push(next);
      next = this.#withheld.skipFrom(next + 1n);
    }
    return found;
  }

  countFree(): bigint {
    const taken = this.#inUse.size + this.#count(this.#blocked, (value) => !this.#inUse.has(value));
    const withheld = this.#withheld.count();
    if (withheld === 0n) return rangeSize(this.at.range) - BigInt(taken);
    const twice =
      this.#withheldInUse +
      this.#count(this.#blocked, (value) => !this.#inUse.has(value) && this.#withheld.has(value));
    return rangeSize(this.at.range) - withheld - BigInt(taken - twice);
  }

  #count(values: ReadonlySet<bigint>, isMeant: (value: bigint) => boolean): number {
    let count = 0;
    for (const value of values) if (isMeant(value)) count++;
    return count;
  }
}
