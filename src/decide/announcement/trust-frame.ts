/**
 * Whether a frame may be taken for evidence. The Ethernet header names the card that sent it; ARP and neighbour
 * discovery name a MAC once more in their content. Where the two differ, somebody speaks in another's name: that is
 * believed only if no member is involved, or if both MACs are the same member's.
 */

import type { Mac } from '../../model/mac.ts';
import { type NeighbourFrame, namedMac } from '../../model/neighbour-frame.ts';
import type { Identities } from './identities.ts';

/** Undefined while the members are not known yet: then every mismatch is refused. */
export type KnownMacs = Pick<Identities, 'get'> | undefined;

export function isTrustworthy(frame: NeighbourFrame, known: KnownMacs): boolean {
  const named = namedMac(frame);
  return named === undefined || named === frame.from || isAlike(frame.from, named, known);
}

/**
 * A bond may send with one of its cards what names another. Routers with a virtual MAC and switches that answer for
 * others send with a MAC of their own what names a third: as long as neither is a member's, that is a stranger's claim.
 */
function isAlike(sender: Mac, named: Mac, known: KnownMacs): boolean {
  return known !== undefined && known.get(sender) === known.get(named);
}
