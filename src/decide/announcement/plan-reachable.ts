/**
 * The condition `Reachable` of Services: whether nodes other than the holders get an answer from their addresses. For each
 * address one node speaks, the first of those that watch its holder: it adds and removes that address among those that
 * do not answer, and leaves the others to their own. Nothing is written of what was never missed, and that an address does
 * not answer is said when it has lasted: addresses move in less.
 */

import type { Condition } from '../../model/condition.ts';
import { fitMessage } from '../../model/fit-bytes.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { ReachabilityReason } from '../../model/reasons.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import { placeOf } from '../failover/seen-addresses.ts';
import type { WireView } from './node-snapshot.ts';
import { isServed } from './plan-conditions.ts';

/** As in a strategic merge patch. */
export interface ReachablePatch {
  readonly type: 'Reachable';
  readonly status: 'True' | 'False';
  readonly reason: ReachabilityReason;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export interface ReachableFacts {
  readonly node: string;
  readonly loadBalancers: readonly LoadBalancer[];
  readonly wire: Pick<WireView, 'seen'>;
  readonly now: number;
  readonly wallNow: number;
}

/** By `placeOf`: since when this node gets no answer. */
export type UnansweredSince = ReadonlyMap<string, number>;

export interface ReachablePlan {
  /** By Service. */
  readonly conditions: ReadonlyMap<string, ReachablePatch>;
  /** To be given back next time. */
  readonly unansweredSince: UnansweredSince;
  readonly wakeAt: number;
}

/** Longer than it takes to find a holder dead and to replace it. */
const patienceMs = 3_000;

export function planReachable(facts: ReachableFacts, previous: UnansweredSince): ReachablePlan {
  const { wire, now } = facts;
  const unansweredSince = new Map<string, number>();
  for (const [place, sight] of wire.seen) {
    if (sight === 'silent') unansweredSince.set(place, previous.get(place) ?? now);
  }
  const isLasting = (place: string) => now - (unansweredSince.get(place) ?? now) >= patienceMs;
  const conditions = new Map<string, ReachablePatch>();
  for (const service of facts.loadBalancers.filter(isServed)) {
    const patch = planOne(service, facts, isLasting);
    if (patch !== undefined) conditions.set(service.key, patch);
  }
  const ends = [...unansweredSince.values()].map((at) => at + patienceMs);
  return { conditions, unansweredSince, wakeAt: Math.min(...ends.filter((end) => end > now)) };
}

function planOne(
  { grant: { slots }, conditions }: LoadBalancer,
  { node, wire: { seen }, wallNow }: ReachableFacts,
  isLasting: (place: string) => boolean,
): ReachablePatch | undefined {
  const places = slots.map((slot) => placeOf(slot.ip, slot.node));
  const isMine = slots.some((slot) => slot.node === node) || places.some((each) => seen.has(each));
  if (!isMine) return undefined;
  const present = conditions.find(({ type }) => type === 'Reachable');
  const told = toldIn(present);
  const silent = places.filter(
    (place) => isLasting(place) || (told.has(place) && seen.get(place) !== 'answers'),
  );
  if (silent.length > 0) {
    return change(
      present,
      wallNow,
      'False',
      'NoAnswer',
      fitMessage(`${lead}${silent.join(separator)}`),
    );
  }
  if (present === undefined) return undefined;
  return change(present, wallNow, 'True', 'Answering', 'other nodes get answers');
}

const lead = 'no answer from ';
const separator = ', ';

/** The message names them: what another node found is left to that node, until the address is on another one. */
function toldIn(present: Condition | undefined): ReadonlySet<string> {
  if (present?.status !== 'False' || !present.message.startsWith(lead)) return new Set();
  return new Set(present.message.slice(lead.length).split(separator));
}

function change(
  present: Condition | undefined,
  wallNow: number,
  status: ReachablePatch['status'],
  reason: ReachabilityReason,
  message: string,
): ReachablePatch | undefined {
  const isSame = present?.status === status && present.message === message;
  if (isSame) return undefined;
  const changedAt = present?.status === status ? present.changedAt : wallNow;
  const lastTransitionTime = formatTimestamp(changedAt);
  return { type: 'Reachable', status, reason, message, lastTransitionTime };
}
