/** Which ranges have nodes on their subnet: only there can an address be that must be on a node's own link. */

import { type Prefix, prefixContains } from '../../model/prefix.ts';
import { rangeFirst, rangeLast } from '../../model/range.ts';
import type { SubnetSighting } from './allocation-state.ts';
import type { RangeUse } from './range-use.ts';

export class RangeHomes {
  /** Undefined while the nodes are not known. */
  readonly #subnets: readonly SubnetSighting[] | undefined;
  readonly #homes = new Map<RangeUse, Home>();

  constructor(subnets: readonly SubnetSighting[] | undefined) {
    this.#subnets = subnets;
  }

  find(range: RangeUse): Home {
    const known = this.#homes.get(range);
    if (known !== undefined) return known;
    const home = findHome(range, this.#subnets);
    this.#homes.set(range, home);
    return home;
  }
}

/** `lately`: there are none now, but there were a short while ago. */
export type Home = 'now' | 'lately' | 'none' | 'unknown';

function findHome(range: RangeUse, subnets: readonly SubnetSighting[] | undefined): Home {
  if (range.pool.announce !== 'local') return 'now';
  if (subnets === undefined) return 'unknown';
  const live = subnets.filter(({ isLive }) => isLive);
  if (isCovered(range, live)) return 'now';
  return isCovered(range, subnets) ? 'lately' : 'none';
}

/** By containment: a subnet may be written in many ways, and be wider on the nodes than in the group. */
function isCovered({ at }: RangeUse, subnets: readonly { readonly prefix: Prefix }[]): boolean {
  const ends = [rangeFirst(at.range), rangeLast(at.range)];
  return ends.every((ip) => subnets.some(({ prefix }) => prefixContains(prefix, ip)));
}
