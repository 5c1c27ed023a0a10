/** What the status of a group records of the networks that its addresses belong to. */

import { addressBits, familyOf } from '../../model/ip.ts';
import type { Pool } from '../../model/pool.ts';
import { networkOf } from '../../model/prefix.ts';
import {
  compareRecorded,
  findRecorded,
  mostSubnets,
  type RecordedSubnet,
} from '../../model/recorded-subnet.ts';
import type { Place } from './place.ts';
import { distinct, subnetsOf } from './records-of.ts';

export interface SubnetInput {
  readonly pool: Pool;
  readonly present: readonly RecordedSubnet[];
  /** Addresses that Services hold after the plan and that lie in no range: of any group, or of none in force. */
  readonly outside: readonly Place[];
}

/** What the group says now, what its source gave, and what was recorded before while someone holds an address of it. */
export function planSubnets({ pool, present, outside }: SubnetInput): readonly RecordedSubnet[] {
  const own = outside.filter((place) => place.pool === undefined || place.pool.name === pool.name);
  const kept = present.filter((each) => own.some(({ ip }) => findRecorded([each], ip)));
  const known = distinct([...subnetsOf(pool), ...kept]);
  const given = own.filter((place) => place.pool !== undefined).flatMap(recordOf);
  // Wide ones first: an address of its own is worth a record only where a wider one would be taken for it.
  const all = given
    .toSorted((left, right) => left.prefixLength - right.prefixLength)
    .reduce<readonly RecordedSubnet[]>(add, known);
  return all.slice(0, mostSubnets).sort(compareRecorded);
}

/** Agents know of a length that the group itself fixes. */
function recordOf({ ip, pool, prefixLength }: Place): readonly RecordedSubnet[] {
  const isFixed = pool?.source.kind === 'netbox' && pool.source.prefixLength !== undefined;
  if (prefixLength === undefined || isFixed) return [];
  return [{ subnet: networkOf({ ip, length: prefixLength }), prefixLength }];
}

function add(all: readonly RecordedSubnet[], one: RecordedSubnet): readonly RecordedSubnet[] {
  const { ip } = one.subnet;
  const found = findRecorded(all, ip);
  const hostLength = addressBits[familyOf(ip)];
  const isImplied = (found?.prefixLength ?? hostLength) === one.prefixLength;
  return isImplied ? all : [...all, one];
}
