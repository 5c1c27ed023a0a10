/**
 * The condition `Announced` of Services: written when it changes, by the node whose slot completes it or by the one that
 * speaks for the Service. That something is missing is said only when it has lasted: addresses move in less, and in a
 * burst of new Services each waits for its turn.
 */

import type { Slot } from '../../model/announcing.ts';
import type { Condition } from '../../model/condition.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import { type AnnouncedCondition, type AnnouncedFacts, judgeAnnounced } from './judge-announced.ts';
import { whoSpeaks } from './who-speaks.ts';

/** As in a strategic merge patch, in which conditions of other types stay as they are. */
export type ConditionPatch =
  | {
      readonly type: 'Announced';
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly lastTransitionTime: string;
    }
  | { readonly type: 'Announced'; readonly $patch: 'delete' };

export interface ConditionFacts extends AnnouncedFacts {
  readonly loadBalancers: readonly LoadBalancer[];
  /** By Service: its slots once this node has written, where it is about to write some. */
  readonly slots: ReadonlyMap<string, readonly Slot[]>;
  /** Services beside these whose announcement is pending. */
  readonly othersPending?: number | undefined;
  readonly now: number;
  readonly wallNow: number;
}

/** By Service: since when this node has found something missing. */
export type MissingSince = ReadonlyMap<string, number>;

export interface ConditionPlan {
  /** By Service. */
  readonly conditions: ReadonlyMap<string, ConditionPatch>;
  /** To be given back next time. */
  readonly missingSince: MissingSince;
  readonly wakeAt: number;
}

/** Longer than an election and a look at the wire take. */
const patienceMs = 3_000;
/** For each Service whose address another node is about to announce: in a burst they wait for each other. */
const patiencePerPendingMs = 50;
const longestPatienceMs = 30_000;

export function planConditions(facts: ConditionFacts, previous: MissingSince): ConditionPlan {
  const judged = facts.loadBalancers.filter(isServed).map((service) => {
    return { service, wanted: judge(service, facts) };
  });
  const pending = judged.filter(({ wanted }) => isPending(wanted)).length;
  const patienceOf = patienceFor(pending + (facts.othersPending ?? 0));
  const missing = judged.flatMap(({ service: { key }, wanted }) => {
    if (wanted?.status !== 'False') return [];
    const since = previous.get(key) ?? facts.now;
    return [{ key, since, dueAt: since + patienceOf(wanted) }];
  });
  const waiting = missing.filter(({ dueAt }) => dueAt > facts.now);
  const early = new Set(waiting.map(({ key }) => key));
  const conditions = new Map<string, ConditionPatch>();
  for (const { service, wanted } of judged) {
    const patch = early.has(service.key) ? undefined : planOne(service, wanted, facts);
    if (patch !== undefined) conditions.set(service.key, patch);
  }
  const wakeAt = waiting.reduce((least, { dueAt }) => Math.min(least, dueAt), Infinity);
  return { conditions, missingSince: new Map(missing.map((one) => [one.key, one.since])), wakeAt };
}

function isPending(wanted: AnnouncedCondition | undefined): boolean {
  return wanted?.reason === 'Pending';
}

/** How long something must have been missing until it is said, with so many Services whose announcement is pending. */
function patienceFor(pending: number): (wanted: AnnouncedCondition) => number {
  const crowded = Math.min(patienceMs + (pending - 1) * patiencePerPendingMs, longestPatienceMs);
  return (wanted) => (isPending(wanted) ? crowded : patienceMs);
}

/** Whether agents speak of its addresses in conditions. */
export function isServed({ isLoadBalancer, grant, identity }: LoadBalancer): boolean {
  return isLoadBalancer && grant.isOurs && !identity.isDeleting;
}

function judge(service: LoadBalancer, facts: ConditionFacts): AnnouncedCondition | undefined {
  const { key, grant } = service;
  if (grant.ingress.length === 0) return undefined;
  return judgeAnnounced(service, facts.slots.get(key) ?? grant.slots, facts);
}

function planOne(
  service: LoadBalancer,
  wanted: AnnouncedCondition | undefined,
  facts: ConditionFacts,
): ConditionPatch | undefined {
  const present = service.conditions.find(({ type }) => type === 'Announced');
  if (isSame(present, wanted)) return undefined;
  const completes = wanted?.status === 'True' && facts.slots.has(service.key);
  if (!completes && whoSpeaks(service, facts) !== facts.node) return undefined;
  if (wanted === undefined) return { type: 'Announced', $patch: 'delete' };
  const changedAt = present?.status === wanted.status ? present.changedAt : facts.wallNow;
  return { type: 'Announced', ...wanted, lastTransitionTime: formatTimestamp(changedAt) };
}

function isSame(present: Condition | undefined, wanted: AnnouncedCondition | undefined): boolean {
  return (
    present?.status === wanted?.status &&
    present?.reason === wanted?.reason &&
    present?.message === wanted?.message
  );
}
