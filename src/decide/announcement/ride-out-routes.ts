/**
 * Routing daemons and network managers take the default route away and bring it back within moments when they are
 * restarted, often on all nodes at once. For as long as that takes the route counts as being there: withdrawing every
 * address of a cluster would be far worse. What else is known of its link counts as it is.
 */

import type { Family } from '../../model/ip.ts';
import type { Route } from '../../model/route.ts';
import { isDefault } from './default-links.ts';
import type { KernelView } from './survey-links.ts';

/** The default routes that were last there. Times are ms on the monotonic clock. */
export type DefaultRoutes = Readonly<Record<Family, DefaultRoutesOfFamily>>;

interface DefaultRoutesOfFamily {
  readonly routes: readonly Route[];
  /** Undefined: they are there. */
  readonly lostAt: number | undefined;
}

export interface RiddenOut {
  readonly view: KernelView;
  /** To be given back next time. */
  readonly memory: DefaultRoutes | undefined;
  /** When what is only remembered ceases to count; `Infinity` if nothing is. */
  readonly wakeAt: number;
}

export const rideOutMs = 3_000;

export function rideOutRoutes(
  view: KernelView,
  previous: DefaultRoutes | undefined,
  now: number,
): RiddenOut {
  const { routes } = view;
  if (routes === undefined) return { view, memory: previous, wakeAt: Infinity };
  const memory = {
    ipv4: observe('ipv4', routes, previous, now),
    ipv6: observe('ipv6', routes, previous, now),
  };
  const missed = Object.values(memory).filter((each) => isRiddenOut(each, now));
  if (missed.length === 0) return { view, memory, wakeAt: Infinity };
  return {
    view: { ...view, routes: [...routes, ...missed.flatMap((each) => each.routes)] },
    memory,
    wakeAt: Math.min(...missed.map(({ lostAt = now }) => lostAt + rideOutMs)),
  };
}

function observe(
  family: Family,
  routes: readonly Route[],
  previous: DefaultRoutes | undefined,
  now: number,
): DefaultRoutesOfFamily {
  const found = routes.filter((route) => route.family === family && isDefault(route));
  if (found.length > 0) return { routes: found, lostAt: undefined };
  const before = previous?.[family];
  return { routes: before?.routes ?? [], lostAt: before?.lostAt ?? now };
}

function isRiddenOut({ routes, lostAt }: DefaultRoutesOfFamily, now: number): boolean {
  return routes.length > 0 && lostAt !== undefined && now - lostAt < rideOutMs;
}
