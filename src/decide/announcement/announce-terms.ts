/**
 * How an address is to be announced, by the pool it is of, or else by what the allocator recorded on the group. What
 * annotations of the Service say of prefix lengths is not believed: its owner can write them.
 */

import { poolsOf } from '../../model/allocation-record.ts';
import { addressBits, familyOf, type Ip } from '../../model/ip.ts';
import type { AddressGrant } from '../../model/load-balancer.ts';
import type { AnnounceMode, Pool, PoolRange } from '../../model/pool.ts';
import { rangeContains } from '../../model/range.ts';
import { findRecorded } from '../../model/recorded-subnet.ts';
import { lengthOutside } from '../allocation/length-outside.ts';
import type { NodeSnapshot } from './node-snapshot.ts';

export interface AnnounceTerms {
  /** Undefined: nothing says it. */
  readonly mode: AnnounceMode | undefined;
  readonly pool: Pool | undefined;
  readonly range: PoolRange | undefined;
  /** On the virtual link, hence of the route that is advertised. */
  readonly prefixLength: number;
  /** A group has the address or records it, or the allocator says on the Service's status that it gave it. */
  readonly isGiven: boolean;
  /** False: nothing says it, and what is there already is as good. */
  readonly isPrefixKnown: boolean;
}

type Grant = Pick<AddressGrant, 'pools' | 'poolType' | 'record'>;
type GroupFacts = Pick<NodeSnapshot, 'pools' | 'recorded'>;

/**
 * The range that the address lies in counts, of the groups it was given from before others. Groups without ranges of
 * their own (Netbox, external IPAMs), and groups that were edited since, are known by name.
 */
export function findTerms(groups: GroupFacts, grant: Grant, ip: Ip): AnnounceTerms {
  const { pools, recorded } = groups;
  const names = poolsOf(grant);
  const named = pools.filter(({ name }) => names.includes(name));
  const found = findRange(named, ip) ?? findRange(pools.toSorted(localFirst), ip);
  const pool = found?.pool ?? named[0];
  const prefixLength = found?.range.prefixLength ?? lengthOutside(pool, { recorded, names }, ip);
  return {
    mode: pool?.announce ?? grant.poolType,
    pool,
    range: found?.range,
    prefixLength: prefixLength ?? addressBits[familyOf(ip)],
    isPrefixKnown: prefixLength !== undefined,
    isGiven: found !== undefined || isGiven(recorded, grant, ip),
  };
}

/** Other controllers write addresses into statuses as well, and anyone our annotations beside them. */
function isGiven(recorded: GroupFacts['recorded'], { record }: Grant, ip: Ip): boolean {
  if (record?.ips.includes(ip) === true) return true;
  return [...recorded.values()].some((subnets) => findRecorded(subnets, ip) !== undefined);
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

/** As upstream looks them up: local groups by name, then remote ones. */
function localFirst(left: Pool, right: Pool): number {
  const rank = ({ announce }: Pool) => (announce === 'remote' ? 1 : 0);
  return rank(left) - rank(right) || (left.name < right.name ? -1 : 1);
}
