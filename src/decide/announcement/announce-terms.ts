/** How an address is to be announced, by the pool it is of, or else by what the allocator wrote beside it. */

import { addressBits, familyOf, type Ip } from '../../model/ip.ts';
import type { AddressGrant } from '../../model/load-balancer.ts';
import type { AnnounceMode, Pool, PoolRange } from '../../model/pool.ts';
import { rangeContains } from '../../model/range.ts';

export interface AnnounceTerms {
  /** Undefined: nothing says it. */
  readonly mode: AnnounceMode | undefined;
  readonly pool: Pool | undefined;
  readonly range: PoolRange | undefined;
  /** On the virtual link, hence of the route that is advertised. */
  readonly prefixLength: number;
  /** False: nothing says it, and what is there already is as good. */
  readonly isPrefixKnown: boolean;
}

type Grant = Pick<AddressGrant, 'pools' | 'poolType' | 'prefixes'>;

/**
 * The range that the address lies in counts, of the groups it was given from before others. Groups without ranges of
 * their own (Netbox, external IPAMs), and groups that were edited since, are known by name.
 */
export function findTerms(pools: readonly Pool[], grant: Grant, ip: Ip): AnnounceTerms {
  const named = pools.filter(({ name }) => grant.pools.includes(name));
  const found = findRange(named, ip) ?? findRange(pools.toSorted(localFirst), ip);
  const pool = found?.pool ?? named[0];
  const prefixLength = found?.range.prefixLength ?? lengthWithoutRange(pool, grant, ip);
  return {
    mode: pool?.announce ?? grant.poolType,
    pool,
    range: found?.range,
    prefixLength: prefixLength ?? addressBits[familyOf(ip)],
    isPrefixKnown: prefixLength !== undefined,
  };
}

function findRange(
  pools: readonly Pool[],
  ip: Ip,
): { readonly pool: Pool; readonly range: PoolRange } | undefined {
  for (const pool of pools) {
    const ranges = pool.source.kind === 'cluster' ? pool.source.ranges : [];
    const range = ranges.find((one) => rangeContains(one.range, ip));
    if (range !== undefined) return { pool, range };
  }
  return undefined;
}

/** Decision 9. Without any word on it the address stands alone: that draws in nobody else's traffic. */
function lengthWithoutRange(
  pool: Pool | undefined,
  { prefixes }: Grant,
  ip: Ip,
): number | undefined {
  const fixed = pool?.source.kind === 'netbox' ? pool.source.prefixLength : undefined;
  const length = fixed ?? prefixes.find((prefix) => prefix.ip === ip)?.length;
  return length === undefined ? undefined : Math.min(length, addressBits[familyOf(ip)]);
}

/** As upstream looks them up: local groups by name, then remote ones. */
function localFirst(left: Pool, right: Pool): number {
  const rank = ({ announce }: Pool) => (announce === 'remote' ? 1 : 0);
  return rank(left) - rank(right) || (left.name < right.name ? -1 : 1);
}
