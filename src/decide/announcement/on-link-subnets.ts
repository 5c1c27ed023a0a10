/** The networks that a link is in by the node's own addresses: those whose hosts it reaches without a router. */

import type { HeldAddress } from '../../model/address.ts';
import { addressBits, type Family, familyOf, type Ip } from '../../model/ip.ts';
import type { Link } from '../../model/link.ts';
import { ourAddressPriority } from '../../model/ownership.ts';
import { formatPrefix, networkOf, type Prefix, prefixContains } from '../../model/prefix.ts';
import type { Route } from '../../model/route.ts';

export const mainTable = 254;

export interface OnLinkSubnet extends Prefix {
  /** Learnt from a route: the node has a single address in it. */
  readonly isFromRoute?: true;
}

/** Most specific first, each once. */
export function onLinkSubnets(
  link: Link,
  family: Family,
  addresses: readonly HeldAddress[],
  routes: readonly Route[],
): readonly OnLinkSubnet[] {
  const own = addresses.filter((address) => isOwn(address, link, family));
  const found = own.map((address) => subnetOf(address, link, routes));
  const unique = new Map(found.sort(byOrigin).map((prefix) => [formatPrefix(prefix), prefix]));
  return [...unique.values()].sort((left, right) => right.length - left.length);
}

/** Those with an address of their own last: they count where both are the same. */
function byOrigin(left: OnLinkSubnet, right: OnLinkSubnet): number {
  return Number(right.isFromRoute ?? false) - Number(left.isFromRoute ?? false);
}

/**
 * The node's own address, one that it may use. Ours do not count: an address that we put there would keep its subnet
 * alive for itself when the node's own is gone. Nor do IPv6 addresses that failed detection, or are not to be used.
 */
export function isOwn(address: HeldAddress, link: Link, family: Family): boolean {
  if (address.linkIndex !== link.index || familyOf(address.ip) !== family) return false;
  if (address.isOurs || address.hasFailedDad || address.isTentative) return false;
  if (family === 'ipv6' && address.isDeprecated) return false;
  // Only a loopback link's addresses are for the host alone, and that link is only used when it is named.
  return address.scope === 'global' || address.scope === 'site' || link.isLoopback;
}

/**
 * A host that got a single address (DHCPv6, some clouds) learns the network around it from router advertisements or
 * static routes: the narrowest one on the link that contains the address.
 */
function subnetOf(
  { ip, prefixLength }: HeldAddress,
  link: Link,
  routes: readonly Route[],
): OnLinkSubnet {
  const own = { ip, length: prefixLength };
  if (prefixLength < addressBits[familyOf(ip)]) return networkOf(own);
  const around = routes
    .filter((route) => isOnLink(route, link))
    .flatMap(({ destination }) => destination ?? [])
    .map(({ ip: network, prefixLength: length }) => ({ ip: network, length }))
    .filter((prefix) => prefix.length < prefixLength && contains(prefix, ip))
    .sort((left, right) => right.length - left.length);
  return around[0] === undefined ? own : { ...around[0], isFromRoute: true };
}

function isOnLink(route: Route, { index }: Link): boolean {
  if (route.type !== 'unicast' || route.table !== mainTable) return false;
  if (route.metric === ourAddressPriority) return false;
  return route.nextHops.some((hop) => hop.linkIndex === index && hop.gateway === undefined);
}

function contains(prefix: Prefix, ip: Ip): boolean {
  return prefix.length > 0 && prefixContains(prefix, ip);
}
