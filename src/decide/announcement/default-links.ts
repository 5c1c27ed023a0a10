/** The links that the default route of a family leads over. */

import type { Family } from '../../model/ip.ts';
import type { Link } from '../../model/link.ts';
import type { Route } from '../../model/route.ts';
import { mainTable } from './on-link-subnets.ts';

export interface DefaultLinks {
  /** Of the route with the lowest metric; several if that route spreads over several links. */
  readonly chosen: readonly Link[];
  /** Links of default routes with a higher metric, which are not used. */
  readonly passedOver: readonly Link[];
}

export function findDefaultLinks(
  family: Family,
  links: readonly Link[],
  routes: readonly Route[],
): DefaultLinks {
  const leading = routes
    .filter((route) => route.family === family && isDefault(route))
    .map((route) => ({ metric: route.metric, links: linksOf(route, links) }))
    .filter((route) => route.links.length > 0)
    // Stable: of equal metrics the first that the kernel names.
    .sort((left, right) => left.metric - right.metric);
  const chosen = leading[0]?.links ?? [];
  const others = new Set(leading.flatMap((route) => route.links));
  return { chosen, passedOver: [...others].filter((link) => !chosen.includes(link)) };
}

/** IPv6 may name `::/0` as a destination. */
export function isDefault({ destination, table, type }: Route): boolean {
  if (table !== mainTable || type !== 'unicast') return false;
  return destination === undefined || destination.prefixLength === 0;
}

function linksOf({ nextHops }: Route, links: readonly Link[]): readonly Link[] {
  const found = nextHops.flatMap(
    ({ linkIndex }) => links.find(({ index }) => index === linkIndex) ?? [],
  );
  return [...new Set(found)];
}
