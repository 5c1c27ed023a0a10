/** Where an address belongs: to a range of a pool, to a pool with another source, or to none that we know. */

import { poolsOf } from '../../model/allocation-record.ts';
import {
  addressBits,
  type Family,
  familyOf,
  type Ip,
  ipFromBigInt,
  ipToBigInt,
} from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import { type AcceptedPools, rangesOf } from './accept-pools.ts';
import { lengthOutside } from './length-outside.ts';
import { RangeMap } from './range-map.ts';
import { RangeUse } from './range-use.ts';

export interface Place {
  readonly ip: Ip;
  readonly family: Family;
  readonly value: bigint;
  readonly pool: Pool | undefined;
  /** Of pools whose ranges we manage. */
  readonly use: RangeUse | undefined;
  /** On the interface, as far as it is known. */
  readonly prefixLength: number | undefined;
}

export class Places {
  readonly #pools: Pick<AcceptedPools, 'byName' | 'recorded'>;
  readonly #ranges = new RangeMap<RangeUse>();
  /** By the pool's name. */
  readonly #usesOf = new Map<string, Readonly<Record<Family, readonly RangeUse[]>>>();

  constructor(pools: Pick<AcceptedPools, 'pools' | 'byName' | 'recorded'>) {
    this.#pools = pools;
    for (const pool of pools.pools) {
      const { source } = pool;
      if (source.kind !== 'cluster') continue;
      const uses = rangesOf(pool).map((at) => new RangeUse(pool, source, at));
      for (const use of uses) this.#ranges.add(use.at.range, use);
      const { ipv4 = [], ipv6 = [] } = Object.groupBy(uses, ({ at }) => at.family);
      this.#usesOf.set(pool.name, { ipv4, ipv6 });
    }
  }

  /** In the order in which they are used. */
  rangesOf(pool: Pool, family: Family): readonly RangeUse[] {
    return this.#usesOf.get(pool.name)?.[family] ?? [];
  }

  find(ip: Ip): Place {
    const family = familyOf(ip);
    const value = ipToBigInt(ip);
    const use = this.#ranges.find(family, value);
    return { ip, family, value, pool: use?.pool, use, prefixLength: lengthIn(use) };
  }

  /** Of an address that a Service holds: what lies in no range is from the pool that the Service names, if any. */
  findHeld(ip: Ip, { grant }: LoadBalancer): Place {
    const place = this.find(ip);
    if (place.use !== undefined) return place;
    const pool = poolsOf(grant)
      .map((name) => this.#pools.byName.get(name))
      .find((named) => named !== undefined && named.source.kind !== 'cluster');
    if (pool === undefined) return place;
    const groups = { recorded: this.#pools.recorded, names: [pool.name] };
    // Only what stands alone goes without a record.
    const prefixLength = lengthOutside(pool, groups, ip) ?? addressBits[place.family];
    return { ...place, pool, prefixLength };
  }
}

export function placeIn(use: RangeUse, value: bigint): Place {
  const { family } = use.at;
  const ip = ipFromBigInt(family, value);
  return { ip, family, value, pool: use.pool, use, prefixLength: lengthIn(use) };
}

/** On a link of the nodes the subnet's, on the dummy interface that of the aggregate. */
function lengthIn(use: RangeUse | undefined): number | undefined {
  if (use === undefined) return undefined;
  return use.pool.announce === 'local' ? use.at.subnet.length : use.at.prefixLength;
}
