import { addressBits, familyOf } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import { ourAddressPriority } from '../model/ownership.ts';
import { networkOf } from '../model/prefix.ts';
import type { Route } from '../model/route.ts';
import type { FakeAddress } from './fake-address-table.ts';

const RTPROT_KERNEL = 2;
const RT_TABLE_MAIN = 254;
const RT_SCOPE_LINK = 253;

/**
 * The routes that the kernel adds by itself for the prefixes of addresses on links that are up. Not imitated: the
 * route of an IPv6 address with a lifetime stays for the rest of that lifetime when the address is removed earlier.
 */
export function connectedRoutes(
  addresses: readonly FakeAddress[],
  links: readonly Link[],
): readonly Route[] {
  const routes = new Map<string, Route>();
  for (const address of addresses) {
    const link = links.find(({ index }) => index === address.linkIndex);
    if (link === undefined || !link.isUp || link.isLoopback || !hasRoute(address)) continue;
    const route = connectedRoute(address);
    const key = JSON.stringify([address.linkIndex, route.destination, route.metric]);
    if (!routes.has(key)) routes.set(key, route);
  }
  return [...routes.values()];
}

/** An IPv6 host prefix has a route in the main table too, an IPv4 one only in `local`. */
function hasRoute({ ip, prefixLength, noPrefixRoute, isSecondary }: FakeAddress): boolean {
  if (noPrefixRoute || isSecondary) return false;
  return familyOf(ip) === 'ipv6' || prefixLength < addressBits.ipv4;
}

function connectedRoute({ ip, prefixLength, linkIndex, isOurs }: FakeAddress): Route {
  const family = familyOf(ip);
  const isIpv4 = family === 'ipv4';
  const destination = { ip: networkOf({ ip, length: prefixLength }).ip, prefixLength };
  return {
    family,
    destination,
    nextHops: [{ linkIndex, weight: 1 }],
    ...(isIpv4 && { source: ip }),
    metric: isOurs ? ourAddressPriority : isIpv4 ? 0 : 256,
    table: RT_TABLE_MAIN,
    protocol: RTPROT_KERNEL,
    type: 'unicast',
    scope: isIpv4 ? RT_SCOPE_LINK : 0,
  };
}
