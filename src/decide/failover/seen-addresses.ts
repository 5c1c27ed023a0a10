/** Of which addresses this node is to say whether they answer, and whether they do. */

import type { Ip } from '../../model/ip.ts';
import type { Watch } from './assign-watches.ts';
import { isUnwatchable, type WatchState } from './watch-state.ts';

/** `unknown`: it was not asked yet, or has not answered so far. */
export type Sight = 'answers' | 'silent' | 'unknown';

export interface Watched {
  readonly watch: Watch;
  readonly state: WatchState;
}

/** Of an address, and of the node that is said to hold it: who held it before is watched for a while longer. */
export function placeOf(ip: Ip, holder: string): string {
  return `${ip} on ${holder}`;
}

/** By place; only those of holders of which this node is the first to watch: one speaks for all that do. */
export function seenAddresses(watched: Iterable<Watched>): ReadonlyMap<string, Sight> {
  const seen = new Map<string, Sight>();
  for (const { watch, state } of watched) {
    if (watch.isFirst !== true || isUnwatchable(state)) continue;
    for (const ip of watch.ips) seen.set(placeOf(ip, watch.holder), sightOf(ip, state));
  }
  return seen;
}

function sightOf(ip: Ip, { phase, orphans, known }: WatchState): Sight {
  if (phase.kind === 'silent' || orphans.has(ip)) return 'silent';
  return known.has(ip) ? 'answers' : 'unknown';
}
