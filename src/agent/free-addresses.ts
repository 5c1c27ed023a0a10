/** Which addresses of the pools are free, kept up to date with each Service that changes. */

import { Places } from '../decide/allocation/place.ts';
import type { RangeUse } from '../decide/allocation/range-use.ts';
import type { Family, Ip } from '../model/ip.ts';
import type { Pool } from '../model/pool.ts';

/** The ranges of one pool and family. */
export interface Lane {
  readonly pool: Pool;
  readonly ranges: readonly RangeUse[];
}

export class FreeAddresses {
  /** How many Services have it. */
  readonly #users = new Map<Ip, number>();
  #places = new Places({ pools: [], byName: new Map(), recorded: new Map() });
  #poolsKey = '';
  #lanes: ReadonlyMap<string, Lane> = new Map();
  readonly #blocked = new Set<RangeUse>();
  readonly #taken = new Map<string, number>();

  get lanes(): ReadonlyMap<string, Lane> {
    return this.#lanes;
  }

  isUsed(ip: Ip): boolean {
    return this.#users.has(ip);
  }

  /** How many addresses of the lane were given out since this was last asked. */
  drainTaken(lane: string): number {
    const taken = this.#taken.get(lane) ?? 0;
    this.#taken.delete(lane);
    return taken;
  }

  /** A Service has these in place of those it had before. */
  change(before: readonly Ip[], after: readonly Ip[]): void {
    for (const ip of new Set(after)) this.#join(ip);
    for (const ip of new Set(before)) this.#leave(ip);
  }

  setPools(pools: readonly Pool[]): void {
    const key = JSON.stringify(versionsOf(pools));
    if (key === this.#poolsKey) return;
    this.#poolsKey = key;
    this.#places = new Places({ pools, byName: new Map(), recorded: new Map() });
    this.#blocked.clear();
    this.#lanes = lanesOf(pools, this.#places);
    for (const ip of this.#users.keys()) this.#use(ip);
  }

  /** Not to be given out for the time being. */
  block(ips: Iterable<Ip>): void {
    for (const use of this.#blocked) use.unblockAll();
    this.#blocked.clear();
    for (const ip of ips) {
      const { use, value } = this.#places.find(ip);
      if (use === undefined) continue;
      use.block(value);
      this.#blocked.add(use);
    }
  }

  #join(ip: Ip): void {
    const count = this.#users.get(ip) ?? 0;
    this.#users.set(ip, count + 1);
    if (count > 0) return;
    this.#use(ip);
    const { pool, family } = this.#places.find(ip);
    const lane = laneName(pool?.name, family);
    this.#taken.set(lane, (this.#taken.get(lane) ?? 0) + 1);
  }

  #leave(ip: Ip): void {
    const count = this.#users.get(ip) ?? 0;
    if (count > 1) this.#users.set(ip, count - 1);
    else if (this.#users.delete(ip)) {
      const { use, value } = this.#places.find(ip);
      use?.free(value);
    }
  }

  #use(ip: Ip): void {
    const { use, value } = this.#places.find(ip);
    use?.use(value);
  }
}

/** Group statuses change with each allocation: only what people wrote counts. */
export function versionsOf(pools: readonly Pool[]) {
  return pools.map(({ name, identity }) => [name, identity.uid, identity.generation]);
}

function laneName(pool: string | undefined, family: Family): string {
  return `${pool ?? ''} ${family}`;
}

const families: readonly Family[] = ['ipv4', 'ipv6'];

function lanesOf(pools: readonly Pool[], places: Places): ReadonlyMap<string, Lane> {
  const all = pools.flatMap((pool) =>
    families.map((family) => ({ pool, family, ranges: places.rangesOf(pool, family) })),
  );
  return new Map(
    all
      .filter(({ ranges }) => ranges.length > 0)
      .map(({ pool, family, ranges }) => [laneName(pool.name, family), { pool, ranges }]),
  );
}
