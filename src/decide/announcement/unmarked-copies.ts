/**
 * Copies of Services' addresses that PureLB did not put on a node: left by former software, by a static configuration or
 * by an operator. That node's kernel replies for them, and PureLB never removes what it did not put there.
 */

import { addressKey, type WantedAddress } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import type { Link } from '../../model/link.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Member } from '../../model/member.ts';
import type { AddressDecision } from './address-decision.ts';
import type { Liveness } from './judge-members.ts';
import { rankNodes } from './rank-nodes.ts';
import type { KernelView } from './survey-links.ts';

export interface UnmarkedCopy {
  readonly ip: Ip;
  readonly link: string;
}

/** Nodes that have a copy of an address. */
export type CopyHolders = ReadonlyMap<Ip, ReadonlySet<string>>;

/**
 * On links that reply to ARP. IPVS keeps every address on a link that does not (`kube-ipvs0`), and PureLB's virtual link
 * has addresses that belong on every node.
 */
export function findUnmarked(
  { addresses = [], links = [] }: KernelView,
  loadBalancers: readonly LoadBalancer[],
): readonly UnmarkedCopy[] {
  const replying = new Set(links.filter(replies).map(({ index }) => index));
  const foreign = addresses.filter(({ isOurs, linkIndex }) => !isOurs && replying.has(linkIndex));
  if (foreign.length === 0) return [];
  const mayBe = new Set(foreign.map(({ ip }) => ip));
  // There are thousands of Services and hardly ever a copy: nothing is made of those that have none.
  const sharing = loadBalancers.filter((one) => one.grant.ingress.some((ip) => mayBe.has(ip)));
  const served = new Set(sharing.filter(isServed).flatMap(({ grant }) => grant.ingress));
  return foreign.filter(({ ip }) => served.has(ip)).map(({ ip, link }) => ({ ip, link }));
}

function replies({ isUp, isNoArp, isLoopback, mac }: Link): boolean {
  return isUp && !isNoArp && !isLoopback && mac !== undefined;
}

function isServed({ isLoadBalancer, grant, identity }: LoadBalancer): boolean {
  return isLoadBalancer && grant.isOurs && !identity.isDeleting;
}

/** What a member says of itself counts as long as its Lease is renewed. */
export function collectCopies(
  me: string,
  mine: readonly UnmarkedCopy[],
  members: readonly Member[],
  liveness: ReadonlyMap<string, Liveness>,
): CopyHolders {
  const others = members.filter(({ node }) => node !== me && liveness.get(node) === 'alive');
  const pairs = [
    ...mine.map(({ ip }) => ({ ip, node: me })),
    ...others.flatMap(({ node, unmarked }) => unmarked.map((ip) => ({ ip, node }))),
  ];
  const byIp = Map.groupBy(pairs, ({ ip }) => ip);
  return new Map([...byIp].map(([ip, all]) => [ip, new Set(all.map(({ node }) => node))]));
}

/** The node that is to own the address: the one that has a copy, the better in rank of several. */
export function findCopyOwner(ip: Ip, copies: CopyHolders): string | undefined {
  const nodes = copies.get(ip);
  return nodes === undefined ? undefined : rankNodes(ip, [...nodes])[0];
}

/** Of local addresses that are wanted where a copy is: the copy serves in their place. */
export function findServing(
  blocked: readonly WantedAddress[],
  decisions: readonly Pick<AddressDecision, 'outcome'>[],
): readonly WantedAddress[] {
  if (blocked.length === 0) return [];
  const local = new Set(
    decisions.flatMap(({ outcome }) =>
      outcome.kind === 'local' ? [addressKey(outcome.wanted)] : [],
    ),
  );
  return blocked.filter((address) => local.has(addressKey(address)));
}
