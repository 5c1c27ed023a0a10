/**
 * `status.subnets` of a ServiceGroup: the networks that its addresses belong to, as the allocator recorded them. They say
 * with which prefix length an address is announced that lies in no range of a group: one from Netbox or another IPAM, or
 * one whose range was taken out of its group since. Only the allocator can write them.
 */

import { compareIps, type Ip } from './ip.ts';
import { type Prefix, prefixContains } from './prefix.ts';

export interface RecordedSubnet {
  /** Without bits behind its prefix. */
  readonly subnet: Prefix;
  /** On the dummy interface, hence of the advertised route. */
  readonly prefixLength: number;
}

/** What is known of the networks of each group, by the name that Services call it. */
export type GroupRecords = ReadonlyMap<string, readonly RecordedSubnet[]>;

/** More than the ranges of any group; the rest would be announced as single addresses. */
export const mostSubnets = 256;

/** The narrowest that contains the address. */
export function findRecorded(
  subnets: readonly RecordedSubnet[],
  ip: Ip,
): RecordedSubnet | undefined {
  let found: RecordedSubnet | undefined;
  for (const each of subnets) {
    if (!prefixContains(each.subnet, ip)) continue;
    if (found === undefined || isNarrower(each, found)) found = each;
  }
  return found;
}

function isNarrower(left: RecordedSubnet, right: RecordedSubnet): boolean {
  if (left.subnet.length !== right.subnet.length) return left.subnet.length > right.subnet.length;
  return left.prefixLength > right.prefixLength;
}

export function compareRecorded(left: RecordedSubnet, right: RecordedSubnet): number {
  return (
    compareIps(left.subnet.ip, right.subnet.ip) ||
    left.subnet.length - right.subnet.length ||
    left.prefixLength - right.prefixLength
  );
}

export function isSameRecorded(left: RecordedSubnet, right: RecordedSubnet): boolean {
  return compareRecorded(left, right) === 0;
}
