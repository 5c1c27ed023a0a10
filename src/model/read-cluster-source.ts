/** The ranges of a ServiceGroup that we manage ourselves, in all the forms they may be written in. */

import type { Cursor } from './cursor.ts';
import type { Family } from './ip.ts';
import type { ClusterSource, PoolRange } from './pool.ts';
import { rangesOverlap } from './range.ts';
import { readDuration } from './read-duration.ts';
import { readPoolRange } from './read-pool-range.ts';

/** A range where it is written; without a family where any may stand. */
interface Entry {
  readonly at: Cursor;
  readonly family?: Family;
}

/** `spec.local` or `spec.remote`; only the former has v1's form of one range. */
export function readClusterSource(cursor: Cursor, kind: 'local' | 'remote'): ClusterSource {
  const at = cursor.fields(
    'multiPool',
    'balancePools',
    'avoidEdges',
    'releaseCooldown',
    'reserveFor',
  );
  const entries = [...findEntries(cursor), ...(kind === 'local' ? findLegacyEntry(cursor) : [])];
  if (entries.length === 0) cursor.refuse('give at least one range in v4pools or v6pools');
  const source: ClusterSource = {
    kind: 'cluster',
    ranges: readRanges(entries),
    usesMultiPool: at.multiPool.boolean() ?? false,
    balancesPools: at.balancePools.boolean() ?? false,
    avoidsEdges: at.avoidEdges.boolean() ?? false,
    releaseCooldownMs: readDuration(at.releaseCooldown, { from: '0s', to: '24h', usual: '0s' }),
    reserveMs: readDuration(at.reserveFor, { from: '0s', to: '8760h', usual: '0s' }),
  };
  if (source.usesMultiPool && source.balancesPools) {
    cursor.refuse('multiPool and balancePools are mutually exclusive: choose one');
  }
  return source;
}

export const noRanges: ClusterSource = {
  kind: 'cluster',
  ranges: [],
  usesMultiPool: false,
  balancesPools: false,
  avoidsEdges: false,
  releaseCooldownMs: 0,
  reserveMs: 0,
};

/** The oldest form: one range, written into `spec` itself. */
export function readFlatSource(spec: Cursor): ClusterSource {
  return { ...noRanges, ranges: readRanges([{ at: spec }]) };
}

/** Lists before single entries. */
function findEntries(cursor: Cursor): readonly Entry[] {
  const at = cursor.fields('v4pools', 'v6pools', 'v4pool', 'v6pool');
  const entries: readonly Entry[] = [
    ...[...at.v4pools.items(), at.v4pool].map((entry): Entry => ({ at: entry, family: 'ipv4' })),
    ...[...at.v6pools.items(), at.v6pool].map((entry): Entry => ({ at: entry, family: 'ipv6' })),
  ];
  return entries.filter((entry) => entry.at.isPresent);
}

/** v1's form of one range has its three fields beside the lists. */
function findLegacyEntry(cursor: Cursor): readonly Entry[] {
  return isLegacyRange(cursor.fields('pool', 'subnet', 'aggregation')) ? [{ at: cursor }] : [];
}

/** Whether the three fields of the old forms are in use: v1's tools write them as empty text where they mean none. */
export function isLegacyRange({
  pool,
  subnet,
}: Readonly<Record<'pool' | 'subnet', Cursor>>): boolean {
  return [pool, subnet].some((field) => field.isPresent && field.string() !== '');
}

/** All that can be read, IPv4 first. */
function readRanges(entries: readonly Entry[]): readonly PoolRange[] {
  const found = entries.flatMap(({ at, family }) => {
    const range = readPoolRange(at, family);
    return range === undefined ? [] : [{ at, range, isLegacy: family === undefined }];
  });
  for (const [index, { at, range, isLegacy }] of found.entries()) {
    const others = found.slice(0, index);
    const rival = others.find((other) => other.range.family === range.family);
    if (isLegacy && rival !== undefined) {
      at.refuse(`subnet and pool are v1's form of one range: move them into ${rival.at.path}`);
    }
    const overlapped = others.find((other) => rangesOverlap(other.range.range, range.range));
    if (overlapped !== undefined)
      at.refuse(`overlaps ${overlapped.at.path}: no address may be in two ranges`);
  }
  const ranges = found.map(({ range }) => range);
  return [...ranges.filter(isIpv4), ...ranges.filter((range) => !isIpv4(range))];
}

function isIpv4({ family }: PoolRange): boolean {
  return family === 'ipv4';
}
