/** Small clusters for tests: nodes, their Leases, and addresses of both families that mean the same. */

import type { ClusterNode } from '../../model/cluster-node.ts';
import { type Family, type Ip, ipOf } from '../../model/ip.ts';
import { noLifetimes } from '../../model/kernel-lifetimes.ts';
import type { Member } from '../../model/member.ts';
import { type Prefix, prefixOf } from '../../model/prefix.ts';
import { type Electorate, type ElectorateFacts, prepareElectorate } from './electorate.ts';
import type { Liveness } from './judge-members.ts';

/** The same words for either family, so that every test runs on both. */
export interface FamilySamples {
  readonly family: Family;
  /** The network of the nodes, its length, and a node's address in it. */
  readonly subnet: string;
  readonly length: number;
  readonly nodeIp: string;
  readonly gateway: string;
  /** Addresses of that network for Services. */
  readonly vip: Ip;
  readonly vip2: Ip;
  readonly vips: readonly Ip[];
  /** Another network with an address in it. */
  readonly elsewhere: string;
  readonly farIp: Ip;
  readonly farIp2: Ip;
  readonly hostLength: number;
}

const countUp = Array.from({ length: 40 }, (_, index) => index + 100);

export const familySamples: readonly FamilySamples[] = [
  {
    family: 'ipv4',
    subnet: '192.0.2.0/24',
    length: 24,
    nodeIp: '192.0.2.1',
    gateway: '192.0.2.254',
    vip: ipOf('192.0.2.100'),
    vip2: ipOf('192.0.2.101'),
    vips: countUp.map((last) => ipOf(`192.0.2.${last}`)),
    elsewhere: '198.51.100.0/24',
    farIp: ipOf('198.51.100.7'),
    farIp2: ipOf('198.51.100.8'),
    hostLength: 32,
  },
  {
    family: 'ipv6',
    subnet: '2001:db8::/64',
    length: 64,
    nodeIp: '2001:db8::1',
    gateway: 'fe80::1',
    vip: ipOf('2001:db8::100'),
    vip2: ipOf('2001:db8::101'),
    vips: countUp.map((last) => ipOf(`2001:db8::${last}`)),
    elsewhere: '2001:db8:ff::/64',
    farIp: ipOf('2001:db8:ff::7'),
    farIp2: ipOf('2001:db8:ff::8'),
    hostLength: 128,
  },
];

export const bothSubnets: readonly Prefix[] = familySamples.map(({ subnet }) => prefixOf(subnet));

export function member(node: string, more: Partial<Member> = {}): Member {
  return {
    node,
    instance: `${node}-1`,
    subnets: bothSubnets,
    links: [],
    failing: [],
    unmarked: [],
    handing: [],
    conflicts: [],
    lifetimes: noLifetimes,
    protocolVersion: 2,
    peerKeys: [],
    renewTime: '2026-01-01T00:00:00Z',
    durationMs: 10_000,
    resourceVersion: '1',
    ...more,
  };
}

export function clusterNode(name: string, more: Partial<ClusterNode> = {}): ClusterNode {
  return {
    name,
    uid: `uid-${name}`,
    labels: new Map(),
    annotations: new Map(),
    internalIps: [],
    externalIps: [],
    isExcluded: false,
    isCordoned: false,
    isBeingRemoved: false,
    isShuttingDown: false,
    taints: [],
    zone: undefined,
    ...more,
  };
}

/** All members live, are on both subnets, and have a Node; the first is this one unless `more` says otherwise. */
export function electorateOf(
  names: readonly string[],
  more: Partial<ElectorateFacts> = {},
): Electorate {
  return prepareElectorate({
    me: names[0] ?? '',
    members: names.map((name) => member(name)),
    liveness: new Map(names.map((name): [string, Liveness] => [name, 'alive'])),
    nodes: names.map((name) => clusterNode(name)),
    mySubnets: bothSubnets,
    myUnreadySubnets: [],
    myFailing: new Set(),
    ...more,
  });
}
