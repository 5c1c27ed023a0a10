/** How the routes of a node that is to take no more traffic leave the routers: marked first, then withdrawn. */

import { type BgpPath, gracefulShutdown, sortedCommunities } from '../../model/bgp-path.ts';

/** `marked`: routers are asked to prefer others (RFC 8326), and what they send meanwhile is served. */
export type Farewell = 'none' | 'marked' | 'withdrawn';

/** Routers that heard that a node is about to leave have chosen others by then. */
export const drainMs = 1_000;

export function bidFarewell(paths: readonly BgpPath[], farewell: Farewell): readonly BgpPath[] {
  switch (farewell) {
    case 'none':
      return paths;
    case 'marked':
      return paths.map((path) => ({
        ...path,
        communities: sortedCommunities([...path.communities, gracefulShutdown]),
      }));
    case 'withdrawn':
      return [];
    default:
      return farewell satisfies never;
  }
}
