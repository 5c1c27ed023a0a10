/** What the kernel of one node shows, in few words, for tests. */

import type { HeldAddress } from '../../model/address.ts';
import { familyOf, ipOf } from '../../model/ip.ts';
import type { Link } from '../../model/link.ts';
import { macOf } from '../../model/mac.ts';
import { prefixOf } from '../../model/prefix.ts';
import type { Route } from '../../model/route.ts';

export function link(name: string, more: Partial<Link> = {}): Link {
  const index = more.index ?? 2;
  return {
    index,
    name,
    mac: macOf(`02:00:5e:10:00:0${index}`),
    mtu: 1500,
    isUp: true,
    hasCarrier: true,
    operState: 'up',
    isLoopback: false,
    isNoArp: false,
    ...more,
  };
}

/** `held('eth0', '192.0.2.1/24')`: the node's own address, permanent and without our mark. */
export function held(on: Link, prefix: string, more: Partial<HeldAddress> = {}): HeldAddress {
  const { ip, length } = prefixOf(prefix);
  const isLocal = familyOf(ip) === 'ipv6' ? ip.startsWith('fe80:') : ip.startsWith('169.254.');
  return {
    linkIndex: on.index,
    link: on.name,
    ip,
    prefixLength: length,
    validSeconds: Infinity,
    preferredSeconds: Infinity,
    noPrefixRoute: false,
    isOurs: false,
    isSecondary: false,
    isTentative: false,
    isDeprecated: false,
    hasFailedDad: false,
    scope: isLocal ? 'link' : 'global',
    ...more,
  };
}

/** Ours, with five minutes to live. */
export function ours(on: Link, prefix: string, more: Partial<HeldAddress> = {}): HeldAddress {
  return held(on, prefix, {
    validSeconds: 300,
    preferredSeconds: 300,
    noPrefixRoute: true,
    isOurs: true,
    ...more,
  });
}

/** `route(eth0, 'default via 192.0.2.254')` or `route(eth0, '2001:db8::/64')`. */
export function route(on: Link, text: string, more: Partial<Route> = {}): Route {
  const [to = '', via] = text.split(' via ');
  const prefix = to.startsWith('default') ? undefined : prefixOf(to);
  const family = familyOf(ipOf(via ?? prefix?.ip ?? (to === 'default6' ? '::' : '0.0.0.0')));
  return {
    family,
    ...(prefix && { destination: { ip: prefix.ip, prefixLength: prefix.length } }),
    nextHops: [
      { linkIndex: on.index, weight: 1, ...(via !== undefined && { gateway: ipOf(via) }) },
    ],
    metric: 0,
    table: 254,
    protocol: 3,
    type: 'unicast',
    scope: 0,
    ...more,
  };
}
