import { isProblem } from '../../model/parsed.ts';
import type { Pool } from '../../model/pool.ts';
import type { Group } from '../../model/read-group.ts';
import {
  type GroupRecords,
  isSameRecorded,
  type RecordedSubnet,
} from '../../model/recorded-subnet.ts';

/** What groups say of their networks now, and what their statuses record of before. */
export function recordsOf(groups: readonly Group[]): GroupRecords {
  const byName = Map.groupBy(groups, ({ identity, pool }) =>
    isProblem(pool) ? identity.name : pool.value.name,
  );
  return new Map([...byName].map(([name, same]) => [name, distinct(same.flatMap(recordOf))]));
}

/** Those of its ranges. */
export function subnetsOf({ source }: Pool): readonly RecordedSubnet[] {
  if (source.kind !== 'cluster') return [];
  return source.ranges.map(({ subnet, prefixLength }) => ({ subnet, prefixLength }));
}

export function distinct(all: readonly RecordedSubnet[]): readonly RecordedSubnet[] {
  return all.filter((one, index) => all.findIndex((other) => isSameRecorded(one, other)) === index);
}

function recordOf({ pool, status }: Group): readonly RecordedSubnet[] {
  return [...(isProblem(pool) ? [] : subnetsOf(pool.value)), ...status.subnets];
}
