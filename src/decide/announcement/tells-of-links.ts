/**
 * Whether a route says anything about where local addresses belong: default routes, and those to networks that a link is
 * in. Of the others there may be a million (routes to pods, a full table of the Internet), and they come and go all day.
 */

import { addressBits } from '../../model/ip.ts';
import type { Route } from '../../model/route.ts';
import { isDefault } from './default-links.ts';
import { mainTable } from './on-link-subnets.ts';

export function tellsOfLinks(route: Route): boolean {
  return isDefault(route) || isToNetworkOnLink(route);
}

/** A route to a single host is no network that an address could be in. */
function isToNetworkOnLink({ family, destination, table, nextHops }: Route): boolean {
  if (table !== mainTable || destination === undefined) return false;
  if (destination.prefixLength === addressBits[family]) return false;
  return nextHops.some(({ gateway }) => gateway === undefined);
}
