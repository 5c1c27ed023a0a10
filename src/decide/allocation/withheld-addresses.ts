/** The addresses of a range that are never given out: its exclusions, and with `avoidEdges` the ends of networks. */

import { addressBits, type Family } from '../../model/ip.ts';
import type { PoolRange } from '../../model/pool.ts';
import { type Range, rangeOfPrefix } from '../../model/range.ts';
import { RangeMap } from './range-map.ts';

export class WithheldAddresses {
  readonly #range: Range;
  readonly #edges: Edges | undefined;
  /** Inside the range, in rising order. */
  readonly #exclusions: readonly Range[];
  readonly #exclusionAt = new RangeMap<Range>();

  constructor(at: PoolRange, avoidsEdges: boolean) {
    this.#range = at.range;
    this.#edges = avoidsEdges ? edgesOf(at) : undefined;
    this.#exclusions = mergeRanges(at.exclusions.map((exclusion) => clip(exclusion, at.range)));
    for (const exclusion of this.#exclusions) this.#exclusionAt.add(exclusion, exclusion);
  }

  has(value: bigint): boolean {
    return this.#isEdge(value) || this.#exclusionAt.find(this.#range.family, value) !== undefined;
  }

  /** The lowest address from this one on that may be given out; it may lie behind the end of the range. */
  skipFrom(value: bigint): bigint {
    if (this.#edges === undefined && this.#exclusions.length === 0) return value;
    let next = value;
    for (;;) {
      const exclusion = this.#exclusionAt.find(this.#range.family, next);
      if (exclusion !== undefined) next = exclusion.last + 1n;
      else if (this.#isEdge(next)) next += 1n;
      else return next;
    }
  }

  count(): bigint {
    const { family, first, last } = this.#range;
    let count = this.#countEdges({ family, first, last });
    for (const exclusion of this.#exclusions) {
      count += exclusion.last - exclusion.first + 1n - this.#countEdges(exclusion);
    }
    return count;
  }

  #isEdge(value: bigint): boolean {
    const edges = this.#edges;
    if (edges === undefined) return false;
    return value === edges.first || value === edges.last || (edges.isByByte && isEndByte(value));
  }

  /** Counted, not looked for: a run may be as long as IPv4. */
  #countEdges(run: Range): bigint {
    const edges = this.#edges;
    if (edges === undefined) return 0n;
    const isApart = (value: bigint) =>
      run.first <= value && value <= run.last && !(edges.isByByte && isEndByte(value));
    const apart = BigInt([edges.first, edges.last].filter(isApart).length);
    return edges.isByByte ? apart + countEndBytes(run) : apart;
  }
}

interface Edges {
  readonly first: bigint;
  readonly last: bigint;
  /** IPv4 addresses ending in .0 or .255 too: old clients take them for a network and its broadcast. */
  readonly isByByte: boolean;
}

/** A point-to-point network has no edges (RFC 3021, RFC 6164). */
function edgesOf({ subnet, family }: { subnet: PoolRange['subnet']; family: Family }) {
  if (addressBits[family] - subnet.length <= 1) return undefined;
  const { first, last } = rangeOfPrefix(subnet);
  return { first, last, isByByte: family === 'ipv4' };
}

function isEndByte(value: bigint): boolean {
  const byte = value & 255n;
  return byte === 0n || byte === 255n;
}

function countEndBytes({ first, last }: Range): bigint {
  const upTo = (value: bigint) => (value + 256n) / 256n + (value + 1n) / 256n;
  return upTo(last) - upTo(first - 1n);
}

function clip({ family, first, last }: Range, outer: Range): Range {
  return {
    family,
    first: first < outer.first ? outer.first : first,
    last: last > outer.last ? outer.last : last,
  };
}

function mergeRanges(ranges: readonly Range[]): readonly Range[] {
  const sorted = ranges.toSorted((left, right) => (left.first < right.first ? -1 : 1));
  const merged: Range[] = [];
  for (const range of sorted) {
    const before = merged.at(-1);
    if (before === undefined || range.first > before.last + 1n) merged.push(range);
    else if (range.last > before.last) merged[merged.length - 1] = { ...before, last: range.last };
  }
  return merged;
}
