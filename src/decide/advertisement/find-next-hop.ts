/** Where routers are to send packets for our IPv6 routes. */

import type { HeldAddress } from '../../model/address.ts';
import { familyOf, type Ip, ipOf, parseIp } from '../../model/ip.ts';
import type { Link } from '../../model/link.ts';
import { isProblem } from '../../model/parsed.ts';
import { prefixContains } from '../../model/prefix.ts';
import type { PeerWish } from '../../model/speaker.ts';

export interface NextHopFacts {
  readonly peers: readonly PeerWish[];
  readonly links: readonly Link[];
  readonly addresses: readonly HeldAddress[];
  /** Of the Node object. */
  readonly nodeIps: readonly Ip[];
}

/**
 * On sessions over IPv6 it is the session's own address. Over IPv4 the daemon would make an IPv4-mapped one of it, which
 * no router can use: there it must be an address of the node, best one on the link to the router.
 */
export function findIpv6NextHop(facts: NextHopFacts): Ip | undefined {
  const carriers = facts.peers.filter(({ families }) =>
    families.some(({ family, isEnabled }) => isEnabled && family === 'ipv6-unicast'),
  );
  const overIpv4 = carriers.flatMap(({ peer }) => ipv4Of(peer) ?? []);
  if (overIpv4.length === 0) return ipOf('::');
  const own = ownAddresses(facts);
  const near = overIpv4.flatMap((router) => linksTo(router, facts));
  const [found] = [
    ...own.filter(({ linkIndex }) => near.includes(linkIndex)),
    ...own.filter(({ ip }) => facts.nodeIps.includes(ip)),
    ...own,
  ];
  return found?.ip;
}

function ipv4Of(peer: PeerWish['peer']): Ip | undefined {
  const ip = peer.kind === 'address' ? parseIp(peer.address) : undefined;
  return ip !== undefined && !isProblem(ip) && familyOf(ip.value) === 'ipv4' ? ip.value : undefined;
}

/** Addresses of Services are none of the node: they move. */
function ownAddresses({ links, addresses }: NextHopFacts): readonly HeldAddress[] {
  const real = new Set(
    links.filter(({ isLoopback, isNoArp }) => !isLoopback && !isNoArp).map(({ index }) => index),
  );
  return addresses.filter(
    ({ ip, scope, linkIndex, isOurs, isDeprecated, isTentative, hasFailedDad }) =>
      familyOf(ip) === 'ipv6' &&
      scope === 'global' &&
      real.has(linkIndex) &&
      !isOurs &&
      !isDeprecated &&
      !isTentative &&
      !hasFailedDad,
  );
}

function linksTo(router: Ip, { addresses }: NextHopFacts): readonly number[] {
  return addresses
    .filter(({ ip, prefixLength }) => prefixContains({ ip, length: prefixLength }, router))
    .map(({ linkIndex }) => linkIndex);
}
