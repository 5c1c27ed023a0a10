/** What a Service gives up of what it holds, because it no longer asks for it or nobody can hold it there. */

import type { Pool } from '../../model/pool.ts';
import type { Claimant } from './claimant.ts';
import { wantsEveryRange } from './fill-ranges.ts';
import type { Place } from './place.ts';
import type { Round } from './round.ts';

export interface Shedding {
  readonly kept: readonly Place[];
  readonly givesUp: readonly GivenUp[];
}

export interface GivenUp {
  readonly place: Place;
  readonly cause: 'family' | 'surplus' | 'subnet' | 'conflict' | 'converged';
}

const none: readonly GivenUp[] = [];

export function shedAddresses(claimant: Claimant, round: Round): Shedding {
  const kept: Place[] = [];
  let givesUp: readonly GivenUp[] = none;
  for (const place of claimant.held) {
    const cause = findCause(claimant, place, kept, round);
    if (cause === undefined) kept.push(place);
    else givesUp = [...givesUp, { place, cause }];
  }
  return { kept, givesUp };
}

function findCause(
  { service }: Claimant,
  place: Place,
  kept: readonly Place[],
  round: Round,
): GivenUp['cause'] | undefined {
  const { families, request } = service;
  if (families.length > 0 && !families.includes(place.family)) return 'family';
  if (request.addresses.length > 0 || place.pool === undefined) return undefined;
  if (wantsEveryRange(service, place.pool)) return isHomeless(place, round) ? 'subnet' : undefined;
  // That a group is edited never takes an address from a Service: only its own word does.
  if (request.multiPool !== false) return undefined;
  return kept.some(({ pool, family }) => pool !== undefined && family === place.family)
    ? 'surplus'
    : undefined;
}

/** No node is or was lately on its subnet, while another range of the pool has nodes: else nobody is anywhere. */
function isHomeless({ pool, use }: Place, { homes, occupancy }: Round): boolean {
  if (pool === undefined || use === undefined || homes.find(use) !== 'none') return false;
  const ranges = occupancy.places.rangesOf(pool, use.at.family);
  return ranges.some((range) => homes.find(range) === 'now');
}

/** The pool that a Service has its addresses from, by the addresses: what annotations say can be forged. */
export function heldPool({ held }: Claimant): Pool | undefined {
  return held.find(({ pool }) => pool !== undefined)?.pool;
}
