/**
 * Who has which address of which pool. A file of ranges says what there is; what is given out is written to a file of
 * its own before anyone is told, because the allocator never repeats it to us.
 */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Family, familyOf, type Ip, ipFromBigInt, ipToBigInt } from '../../src/model/ip.ts';
import { must } from '../../src/model/parsed.ts';
import { networkOf, parsePrefix } from '../../src/model/prefix.ts';
import {
  parseRange,
  type Range,
  rangeContains,
  rangeOfPrefix,
  rangeSize,
} from '../../src/model/range.ts';

export interface Claim {
  readonly service: string;
  readonly sharingKey: string;
}

/** Ends a call with a status of gRPC. */
export class Denial extends Error {
  readonly status:
    | 'invalidArgument'
    | 'alreadyExists'
    | 'resourceExhausted'
    | 'failedPrecondition'
    | 'notFound';

  constructor(status: Denial['status'], message: string) {
    super(message);
    this.status = status;
  }
}

interface Holding extends Claim {
  readonly pool: string;
  readonly ip: Ip;
}

export interface PoolBookOptions {
  /** Pool → ranges, as `from-to` or prefixes. */
  readonly ranges: Readonly<Record<string, readonly string[]>>;
  /** Where what is given out is kept; undefined: only in memory. */
  readonly stateFile: string | undefined;
}

export class PoolBook {
  readonly #ranges: ReadonlyMap<string, readonly Range[]>;
  readonly #options: PoolBookOptions;
  #holdings: readonly Holding[];

  constructor(options: PoolBookOptions) {
    this.#options = options;
    this.#ranges = new Map(
      Object.entries(options.ranges).map(([pool, texts]) => [pool, texts.map(readRange)] as const),
    );
    this.#holdings = readState(options.stateFile);
  }

  get pools(): readonly string[] {
    return [...this.#ranges.keys()];
  }

  /** The address that the Service has in this family, or one more. */
  take(pool: string, claim: Claim, family: Family): Ip {
    const held = this.#of(pool, claim.service).find(({ ip }) => familyOf(ip) === family);
    if (held !== undefined) return held.ip;
    const ip = this.#shared(pool, claim, family) ?? this.#findFree(pool, family);
    this.#write([...this.#holdings, { pool, ip, ...claim }]);
    return ip;
  }

  /** This very address, in place of what the Service has in the same family. */
  takeExplicit(pool: string, claim: Claim, ip: Ip): Ip {
    const ranges = this.#rangesOf(pool);
    if (!ranges.some((range) => rangeContains(range, ip))) {
      throw new Denial('invalidArgument', `${ip} is in no range of pool "${pool}"`);
    }
    const others = this.#holdings.filter(
      (each) => each.ip === ip && each.service !== claim.service,
    );
    const isShared =
      claim.sharingKey !== '' && others.every(({ sharingKey }) => sharingKey === claim.sharingKey);
    if (others.length > 0 && !isShared) {
      throw new Denial('alreadyExists', `${ip} is held by ${others[0]?.service}`);
    }
    const kept = this.#holdings.filter(
      (each) =>
        each.pool !== pool || each.service !== claim.service || familyOf(each.ip) !== familyOf(ip),
    );
    this.#write([...kept, { pool, ip, ...claim }]);
    return ip;
  }

  /** `ip` undefined: everything. What the Service does not have is no failure. */
  release(pool: string, service: string, ip: Ip | undefined): void {
    const left = this.#holdings.filter(
      (each) => each.pool !== pool || each.service !== service || each.ip !== (ip ?? each.ip),
    );
    if (left.length < this.#holdings.length) this.#write(left);
  }

  count(pool: string, family: Family): { readonly inUse: number; readonly size: bigint } {
    const own = this.#rangesOf(pool).filter((range) => range.family === family);
    const held = this.#holdings.filter(
      (each) => each.pool === pool && familyOf(each.ip) === family,
    );
    const inUse = new Set(held.map(({ ip }) => ip)).size;
    return { inUse, size: own.reduce((sum, range) => sum + rangeSize(range), 0n) };
  }

  describe(pool: string): readonly string[] {
    return this.#options.ranges[pool] ?? [];
  }

  #of(pool: string, service: string): readonly Holding[] {
    return this.#holdings.filter((each) => each.pool === pool && each.service === service);
  }

  #shared(pool: string, { sharingKey }: Claim, family: Family): Ip | undefined {
    if (sharingKey === '') return undefined;
    const isSame = (each: Holding) =>
      each.pool === pool && each.sharingKey === sharingKey && familyOf(each.ip) === family;
    return this.#holdings.find(isSame)?.ip;
  }

  #findFree(pool: string, family: Family): Ip {
    const own = this.#rangesOf(pool).filter((range) => range.family === family);
    if (own.length === 0) throw new Denial('failedPrecondition', `pool "${pool}" has no ${family}`);
    const taken = new Set(this.#holdings.map(({ ip }) => ipToBigInt(ip)));
    for (const { first, last } of own) {
      for (let value = first; value <= last; value += 1n) {
        if (!taken.has(value)) return ipFromBigInt(family, value);
      }
    }
    throw new Denial('resourceExhausted', `pool "${pool}" has no ${family} address left`);
  }

  #rangesOf(pool: string): readonly Range[] {
    const ranges = this.#ranges.get(pool);
    if (ranges === undefined) throw new Denial('notFound', `there is no pool "${pool}"`);
    return ranges;
  }

  /** A rename is all or nothing: a crash leaves the old file or the new one. */
  #write(holdings: readonly Holding[]): void {
    const { stateFile } = this.#options;
    if (stateFile !== undefined) {
      writeFileSync(`${stateFile}.new`, `${JSON.stringify(holdings)}\n`, { flush: true });
      renameSync(`${stateFile}.new`, stateFile);
    }
    this.#holdings = holdings;
  }
}

function readRange(text: string): Range {
  if (!text.includes('/')) return must(parseRange(text));
  return rangeOfPrefix(networkOf(must(parsePrefix(text))));
}

function readState(file: string | undefined): readonly Holding[] {
  if (file === undefined) return [];
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly Holding[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
