/**
 * Which subnets, addresses and MACs the lab uses: the same in every run, out of ranges that are reserved for
 * documentation (RFC 5737, RFC 3849) and, for pods and from the third LAN on, for benchmarks (RFC 2544).
 */

import { familyOf, ipFromBigInt, ipToBigInt } from '../../src/model/ip.ts';
import { type Mac, macOf } from '../../src/model/mac.ts';
import { networkOf, type Prefix, prefixContains, prefixOf } from '../../src/model/prefix.ts';
import type { SegmentPlan } from './network-plan.ts';

/** Last part of the addresses. 100 and up stays free for pools of load balancer addresses. */
export const hostNumbers = {
  router: 1,
  firstNode: 11,
  lastNode: 89,
  firstClient: 91,
  lastClient: 99,
} as const;

/** On the outside segment: whatever the cluster's machines ask for, such as its API server. */
export const serverNumber = 2;

export const largestLan = 98;
const outsideNumber = 99;

/** `lan1`, `lan2` …: where nodes live. */
export function lanSegment(number: number): SegmentPlan {
  if (!Number.isInteger(number) || number < 1 || number > largestLan)
    throw new RangeError(`LANs are numbered from 1 to ${largestLan}, not ${number}`);
  const ipv4 = ['192.0.2.0/24', '198.51.100.0/24'][number - 1] ?? `198.18.${number}.0/24`;
  return {
    name: `lan${number}`,
    number,
    ipv4: prefixOf(ipv4),
    ipv6: prefixOf(`2001:db8:${number}::/64`),
    mtu: 1500,
  };
}

/** Where clients beyond the router live. 203.0.113.128/25 stays free for pools that are routed, not local. */
export const outsideSegment: SegmentPlan = {
  name: 'outside',
  number: outsideNumber,
  ipv4: prefixOf('203.0.113.0/25'),
  ipv6: prefixOf(`2001:db8:${outsideNumber}::/64`),
  mtu: 1500,
};

/** The address of a host in a subnet. Its digits read alike in both families: 192.0.2.11 and 2001:db8:1::11. */
export function addressIn(subnet: Prefix, hostNumber: number): Prefix {
  const family = familyOf(subnet.ip);
  const offset = BigInt(family === 'ipv4' ? hostNumber : `0x${hostNumber}`);
  const ip = ipFromBigInt(family, ipToBigInt(networkOf(subnet).ip) + offset);
  if (!prefixContains(subnet, ip))
    throw new RangeError(`host ${hostNumber} does not fit ${subnet.ip}/${subnet.length}`);
  return { ip, length: subnet.length };
}

/** Everything that the pods of any node can have, IPv4 first. */
export const allPods = ['198.19.0.0/16', '2001:db8:f000::/36'] as const;

/** Where the pods of the n-th node live, IPv4 first: 198.19.4.0/24 and 2001:db8:f004::/64 on node4. */
export function podSubnets(nodeNumber: number): readonly [ipv4: Prefix, ipv6: Prefix] {
  const digits = String(nodeNumber).padStart(3, '0');
  return [prefixOf(`198.19.${nodeNumber}.0/24`), prefixOf(`2001:db8:f${digits}::/64`)];
}

/** 02:00:00:01:00:11 is the first NIC of host 11 on LAN 1. */
export function macFor(segmentNumber: number, nicIndex: number, hostNumber: number): Mac {
  const digits = [segmentNumber, nicIndex, hostNumber].map((part) => String(part).padStart(2, '0'));
  return macOf(`02:00:00:${digits.join(':')}`);
}
