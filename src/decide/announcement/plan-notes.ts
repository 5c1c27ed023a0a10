/** Everything that this node writes on Services, one patch for each: slots, and the condition that follows from them. */

import { addressKey } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { AddressDecision } from './address-decision.ts';
import type { AnnouncedFacts } from './judge-announced.ts';
import { findOverruled, type SlotHistory } from './overruled-slots.ts';
import {
  type ConditionFacts,
  type ConditionPatch,
  type MissingSince,
  planConditions,
} from './plan-conditions.ts';
import {
  planReachable,
  type ReachableFacts,
  type ReachablePatch,
  type UnansweredSince,
} from './plan-reachable.ts';
import { planSlots, type SlotFacts, type SlotPatch, slotHeld } from './plan-slots.ts';
import { type AbsentSince, type SweepFacts, sweepSlots } from './sweep-slots.ts';

export interface NoteFacts
  extends Omit<SlotFacts, 'swept' | 'littered' | 'overruled'>,
    SweepFacts,
    Pick<AnnouncedFacts, 'failures' | 'setbacks' | 'reports' | 'wallNow' | 'copies'>,
    Pick<ConditionFacts, 'othersPending'>,
    Pick<ReachableFacts, 'wire'> {
  readonly decisions: readonly AddressDecision[];
}

/** For a strategic merge patch of `services/status`. */
export interface NotePatch {
  readonly namespace: string;
  readonly name: string;
  readonly body: SlotPatch['body'] & {
    readonly status?: { readonly conditions: readonly (ConditionPatch | ReachablePatch)[] };
  };
}

/** To be given back next time. */
export interface NoteMemory {
  readonly absentSince: AbsentSince;
  readonly missingSince: MissingSince;
  readonly unansweredSince: UnansweredSince;
  readonly slotHistory: SlotHistory;
}

export interface NotePlan {
  readonly patches: readonly NotePatch[];
  readonly memory: NoteMemory;
  readonly wakeAt: number;
}

const nothing: NoteMemory = {
  absentSince: new Map(),
  missingSince: new Map(),
  unansweredSince: new Map(),
  slotHistory: new Map(),
};

export function planNotes(facts: NoteFacts, memory: NoteMemory = nothing): NotePlan {
  const { swept, littered, ...sweep } = sweepSlots(facts, memory.absentSince);
  const holds = (decision: AddressDecision) => slotHeld(decision, facts) !== undefined;
  const overruling = findOverruled({ ...facts, holds }, memory.slotHistory);
  const { overruled, history: slotHistory } = overruling;
  const { patches, slots } = planSlots({ ...facts, swept, littered, overruled });
  const announced = {
    ...facts,
    slots,
    decisions: new Map(facts.decisions.map((decision) => [decision.ip, decision])),
    heldAt: findHeld(facts.decisions, facts.held),
  };
  const { conditions, missingSince, wakeAt } = planConditions(announced, memory.missingSince);
  const reachable = planReachable(facts, memory.unansweredSince);
  const { unansweredSince } = reachable;
  return {
    patches: join(facts.loadBalancers, patches, [conditions, reachable.conditions]),
    memory: { absentSince: sweep.absentSince, missingSince, slotHistory, unansweredSince },
    wakeAt: Math.min(sweep.wakeAt, wakeAt, overruling.wakeAt, reachable.wakeAt),
  };
}

function findHeld(
  decisions: readonly AddressDecision[],
  held: NoteFacts['held'],
): ReadonlySet<string> {
  const found = decisions.flatMap(({ ip, outcome }: { ip: Ip } & AddressDecision): string[] => {
    if (!('wanted' in outcome) || !held.has(addressKey(outcome.wanted))) return [];
    return [`${ip}@${outcome.wanted.link}`];
  });
  return new Set(found);
}

function join(
  loadBalancers: readonly LoadBalancer[],
  patches: readonly SlotPatch[],
  planned: readonly ReadonlyMap<string, ConditionPatch | ReachablePatch>[],
): readonly NotePatch[] {
  if (planned.every(({ size }) => size === 0)) return patches;
  const byService = new Map(patches.map((patch) => [`${patch.namespace}/${patch.name}`, patch]));
  return loadBalancers.flatMap((service): readonly NotePatch[] => {
    const patch = byService.get(service.key);
    const conditions = planned.flatMap((each) => each.get(service.key) ?? []);
    if (conditions.length === 0) return patch === undefined ? [] : [patch];
    const { namespace, name, uid, resourceVersion } = service.identity;
    // What it says holds for what was seen: addresses that were given back meanwhile are not announced.
    const metadata = { uid, resourceVersion, annotations: {}, ...patch?.body.metadata };
    return [{ namespace, name, body: { metadata, status: { conditions } } }];
  });
}
