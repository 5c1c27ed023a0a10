/** Which Service has which addresses: holders first, then oldest first, whatever order they come in. */

import type { QuarantinedAddress } from '../../model/pool.ts';
import { AllocationMemory } from './allocation-memory.ts';
import type { AllocationPlan, Decision } from './allocation-plan.ts';
import type { AllocationState, Quarantine } from './allocation-state.ts';
import { answer } from './answer.ts';
import type { Claimant } from './claimant.ts';
import { planConflictMoves } from './conflict-moves.ts';
import { findClaimants } from './find-claimants.ts';
import { isLasting, isUndisturbed } from './is-undisturbed.ts';
import { Occupancy } from './occupancy.ts';
import type { Places } from './place.ts';
import { findWakeTime, planPools, type Served } from './pool-outcomes.ts';
import { RangeHomes } from './range-homes.ts';
import { release } from './release.ts';
import type { Round } from './round.ts';
import { isRefusal, serve } from './serve.ts';

/** `memory`: from one plan to the next; without it each starts from nothing, and says the same. */
export function allocate(
  state: AllocationState,
  memory: AllocationMemory = new AllocationMemory(),
): AllocationPlan {
  const places = memory.open(state);
  const claimants = findClaimants(state.services, state.settings, places, memory);
  const round = openRound(claimants, places, state);
  // All are served before anyone is answered: whether an address is shared is known only then.
  const served = serveAll(claimants, round, memory);
  const pools = planPools(served, round);
  return {
    decisions: served.map((each) => decide(each, round, memory)),
    pools,
    wakeAt: findWakeTime(pools, state.now),
  };
}

function serveAll(
  claimants: readonly Claimant[],
  round: Round,
  memory: AllocationMemory,
): readonly Served[] {
  const first = claimants.map((claimant): Served => {
    const settled = memory.settled(claimant);
    if (settled !== undefined && isUndisturbed(claimant, round)) return { claimant, ...settled };
    const isServed = claimant.fate.kind === 'serve';
    return { claimant, outcome: isServed ? serve(claimant, round) : undefined };
  });
  // What a younger one was given may be another reason to refuse an older one: the last word counts.
  return first.map((each) =>
    each.outcome !== undefined && isRefusal(each.outcome)
      ? { claimant: each.claimant, outcome: serve(each.claimant, round) }
      : each,
  );
}

function openRound(claimants: readonly Claimant[], places: Places, state: AllocationState): Round {
  const quarantine = quarantineOf(state);
  const occupancy = new Occupancy(places, quarantine, state.now);
  for (const claimant of claimants) occupancy.seat(claimant);
  const holders = claimants.filter(({ fate }) => fate.kind === 'serve');
  const conflicts = planConflictMoves(holders, quarantine, state.now);
  for (const claimant of holders) {
    if (claimant.service.request.sharingKey === undefined) continue;
    for (const place of claimant.held) {
      if (!conflicts.leaving.has(place.ip)) occupancy.bind(claimant, place);
    }
  }
  return { state, quarantine, occupancy, conflicts, homes: new RangeHomes(state.subnets) };
}

function quarantineOf({ pools }: AllocationState): Quarantine {
  const quarantine = new Map<string, readonly QuarantinedAddress[]>();
  for (const verdict of pools.verdicts) {
    if ('pool' in verdict) quarantine.set(verdict.pool.name, verdict.group.status.quarantine);
  }
  return quarantine;
}

function decide({ claimant, outcome, decision }: Served, round: Round, memory: AllocationMemory) {
  if (decision !== undefined) return decision;
  const { fate, service } = claimant;
  if (outcome !== undefined) {
    const answered = answer(claimant, outcome, round);
    if (isLasting(claimant, answered)) memory.keep(claimant, { outcome, decision: answered });
    return answered;
  }
  if (fate.kind === 'release') return release(claimant, fate.cause);
  const why = fate.kind === 'ignore' ? fate.why : '';
  return { kind: 'ignore', service, why } satisfies Decision;
}
