/**
 * What a route to the virtual link must not capture. A prefix there that is wider than one address draws everything in
 * it to this node; if that is the network of other nodes, this node loses them.
 */

import type { ClusterNode } from '../../model/cluster-node.ts';
import { addressBits, familyOf, type Ip } from '../../model/ip.ts';
import type { Member } from '../../model/member.ts';
import { formatPrefix, hostPrefixOf, type Prefix } from '../../model/prefix.ts';
import { type Range, rangeOfPrefix, rangesOverlap } from '../../model/range.ts';
import { isDefault } from './default-links.ts';
import type { KernelView } from './survey-links.ts';

export interface ProtectedPrefix {
  readonly range: Range;
  /** In words, for people. */
  readonly what: string;
}

export interface ProtectedFacts {
  readonly nodes: readonly ClusterNode[];
  /** Also those whose Lease expired: their network is there all the same. */
  readonly members: readonly Member[];
  readonly kernel: KernelView;
  readonly apiServers: readonly Ip[];
}

export function collectProtected(facts: ProtectedFacts): readonly ProtectedPrefix[] {
  const { nodes, members, kernel, apiServers } = facts;
  return [
    ...apiServers.map((ip) => host(ip, `the API server ${ip}`)),
    ...nodes.flatMap(({ name, internalIps, externalIps }) =>
      [...internalIps, ...externalIps].map((ip) => host(ip, `the address ${ip} of node ${name}`)),
    ),
    ...members.flatMap(({ node, subnets }) =>
      subnets.map((prefix) => ({
        range: rangeOfPrefix(prefix),
        what: `${formatPrefix(prefix)}, the subnet of node ${node}`,
      })),
    ),
    ...members.flatMap(({ links }) => links.flatMap(({ gateways }) => gateways.map(gateway))),
    ...findGateways(kernel).map(gateway),
    ...findOwnAddresses(kernel).map((ip) => host(ip, `the address ${ip} of this node`)),
  ];
}

/** What of it the prefix would capture; one address alone captures nothing but itself. */
export function findCaptured(
  prefix: Prefix,
  protectedPrefixes: readonly ProtectedPrefix[],
): ProtectedPrefix | undefined {
  if (prefix.length === addressBits[familyOf(prefix.ip)]) return undefined;
  const captured = rangeOfPrefix(prefix);
  return protectedPrefixes.find(({ range }) => rangesOverlap(captured, range));
}

function host(ip: Ip, what: string): ProtectedPrefix {
  return { range: rangeOfPrefix(hostPrefixOf(ip)), what };
}

function gateway(ip: Ip): ProtectedPrefix {
  return host(ip, `the gateway ${ip}`);
}

function findGateways({ routes = [] }: KernelView): readonly Ip[] {
  const hops = routes.filter(isDefault).flatMap(({ nextHops }) => nextHops);
  return hops.flatMap(({ gateway: ip }) => ip ?? []);
}

/** Links without neighbours hold addresses of Services, ours and other managers', and none of the node. */
function findOwnAddresses({ links = [], addresses = [] }: KernelView): readonly Ip[] {
  const real = new Set(
    links.filter(({ isNoArp, isLoopback }) => !isNoArp && !isLoopback).map(({ index }) => index),
  );
  return addresses
    .filter(({ isOurs, scope, linkIndex }) => !isOurs && scope === 'global' && real.has(linkIndex))
    .map(({ ip }) => ip);
}
