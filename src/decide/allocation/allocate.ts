/** Which Service has which addresses: holders first, then oldest first, whatever order they come in. */

import type { QuarantinedAddress } from '../../model/pool.ts';
import type { AllocationPlan, Decision } from './allocation-plan.ts';
import type { AllocationState, Quarantine } from './allocation-state.ts';
import { answer } from './answer.ts';
import type { Claimant } from './claimant.ts';
import { planConflictMoves } from './conflict-moves.ts';
import { findClaimants } from './find-claimants.ts';
import { Occupancy } from './occupancy.ts';
import { Places } from './place.ts';
import { findWakeTime, planPools, type Served } from './pool-outcomes.ts';
import { RangeHomes } from './range-homes.ts';
import { release } from './release.ts';
import type { Round } from './round.ts';
import { isRefusal, serve } from './serve.ts';

export function allocate(state: AllocationState): AllocationPlan {
  const places = new Places(state.pools);
  const claimants = findClaimants(state.services, state.settings, places);
  const round = openRound(claimants, places, state);
  // All are served before anyone is answered: whether an address is shared is known only then.
  const served = serveAll(claimants, round);
  const pools = planPools(served, round);
  return {
    decisions: served.map((each) => decide(each, round)),
    pools,
    wakeAt: findWakeTime(pools, state.now),
  };
}

function serveAll(claimants: readonly Claimant[], round: Round): readonly Served[] {
  const first = claimants.map((claimant): Served => {
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

function decide({ claimant, outcome }: Served, round: Round): Decision {
  const { fate, service } = claimant;
  if (outcome !== undefined) return answer(claimant, outcome, round);
  if (fate.kind === 'release') return release(claimant, fate.cause);
  return { kind: 'ignore', service, why: fate.kind === 'ignore' ? fate.why : '' };
}
