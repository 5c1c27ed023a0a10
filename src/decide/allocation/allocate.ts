/** Which Service has which addresses: holders first, then oldest first, whatever order they come in. */

import type { QuarantinedAddress } from '../../model/pool.ts';
import { AllocationMemory, type Verdict } from './allocation-memory.ts';
import type { AllocationPlan, Decision, ServiceDecision } from './allocation-plan.ts';
import type { AllocationState, Quarantine } from './allocation-state.ts';
import { answer } from './answer.ts';
import { planConflictMoves } from './conflict-moves.ts';
import { planFreeConflicts } from './free-conflicts.ts';
import type { Occupancy } from './occupancy.ts';
import { planFinalizers } from './plan-finalizers.ts';
import { findWakeTime, planPools, type Served } from './pool-outcomes.ts';
import { RangeHomes } from './range-homes.ts';
import { release } from './release.ts';
import type { Round } from './round.ts';
import type { Seat } from './seat-order.ts';
import { isRefusal, serve } from './serve.ts';

/** `memory`: from one plan to the next; without it each starts from nothing, and says the same. */
export function allocate(
  state: AllocationState,
  memory: AllocationMemory = new AllocationMemory(),
): AllocationPlan {
  const quarantine = quarantineOf(state);
  const { open, occupancy } = memory.open(state, quarantine);
  const round = openRound(open, occupancy, state, quarantine);
  // All are served before anyone is answered: whether an address is shared is known only then.
  const served = serveAll(open, round);
  const pools = planPools(served, round);
  const verdicts = served.map((each): Verdict => ({ ...each, decision: decide(each, round) }));
  return {
    decisions: memory.close(verdicts, round),
    // What is settled changes nothing and waits for nothing.
    undone: verdicts.flatMap(({ decision }) => (isUndone(decision) ? decision : [])),
    pools,
    finalizers: planFinalizers(state),
    wakeAt: findWakeTime(pools, state.now),
  };
}

function serveAll(seats: readonly Seat[], round: Round): readonly (Served & { seat: Seat })[] {
  const first = seats.map((seat) => {
    const { claimant } = seat;
    const isServed = claimant.fate.kind === 'serve';
    return { seat, claimant, outcome: isServed ? serve(claimant, round) : undefined };
  });
  // What a younger one was given may be another reason to refuse an older one: the last word counts.
  return first.map((each) =>
    each.outcome !== undefined && isRefusal(each.outcome)
      ? { ...each, outcome: serve(each.claimant, round) }
      : each,
  );
}

function openRound(
  seats: readonly Seat[],
  occupancy: Occupancy,
  state: AllocationState,
  quarantine: Quarantine,
): Round {
  for (const { claimant } of seats) occupancy.seat(claimant);
  const holders = seats.map(({ claimant }) => claimant).filter(({ fate }) => fate.kind === 'serve');
  const conflicts = planConflictMoves(holders, quarantine, state);
  for (const claimant of holders) {
    if (claimant.service.request.sharingKey === undefined) continue;
    for (const place of claimant.held) {
      if (!conflicts.leaving.has(place.ip)) occupancy.bind(claimant, place);
    }
  }
  const homes = new RangeHomes(state.subnets);
  const reported = withFreeConflicts(conflicts.reported, occupancy, state, quarantine);
  return { state, quarantine, occupancy, conflicts: { ...conflicts, reported }, homes };
}

/** They are not given out from now on, and not only once that is written down. */
function withFreeConflicts(
  reported: Quarantine,
  occupancy: Occupancy,
  state: AllocationState,
  quarantine: Quarantine,
): Quarantine {
  if (state.conflicts.size === 0) return reported;
  const known = mergeEntries(quarantine, reported);
  const free = planFreeConflicts(occupancy, known, state);
  for (const entry of [...free.values()].flat()) occupancy.setApart(entry);
  return mergeEntries(reported, free);
}

function mergeEntries(left: Quarantine, right: Quarantine): Quarantine {
  const names = new Set([...left.keys(), ...right.keys()]);
  return new Map(
    [...names].map((name) => [name, [...(left.get(name) ?? []), ...(right.get(name) ?? [])]]),
  );
}

function isUndone(decision: Decision): decision is ServiceDecision {
  return decision.kind !== 'ignore' && (decision.isChange || decision.waitsFor.length > 0);
}

function quarantineOf({ pools }: AllocationState): Quarantine {
  const quarantine = new Map<string, readonly QuarantinedAddress[]>();
  for (const verdict of pools.verdicts) {
    if ('pool' in verdict) quarantine.set(verdict.pool.name, verdict.group.status.quarantine);
  }
  return quarantine;
}

function decide({ claimant, outcome }: Served, round: Round): Decision {
  const { fate, service } = claimant;
  if (outcome !== undefined) return answer(claimant, outcome, round);
  if (fate.kind === 'release') return release(claimant, fate.cause, round.state);
  return { kind: 'ignore', service, why: fate.kind === 'ignore' ? fate.why : '' };
}
