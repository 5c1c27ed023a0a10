/** What a Service that is ours gets: it keeps what it holds, gets what it lacks, and moves only when asked to. */

import { type Family, familyOf } from '../../model/ip.ts';
import type { Pool } from '../../model/pool.ts';
import { choosePool, type PoolChoice, refuseDeleted } from './choose-pool.ts';
import { chooseSource } from './choose-source.ts';
import type { Claimant } from './claimant.ts';
import { fillFamilies } from './fill-families.ts';
import { fillFromSource, isForSource } from './fill-from-source.ts';
import { fillRanges, wantsEveryRange } from './fill-ranges.ts';
import { fillWishes } from './fill-wishes.ts';
import { fittingAddresses, orderByFamily } from './fitting-addresses.ts';
import { isObstacle, type Obstacle, refuse } from './obstacle.ts';
import type { Place } from './place.ts';
import type { Filling, Round } from './round.ts';
import { type GivenUp, heldPool, shedAddresses } from './shed-addresses.ts';

export interface Outcome {
  /** All that the Service has in the end, in order. */
  readonly addresses: readonly Place[];
  readonly additions: readonly Place[];
  readonly givesUp: readonly GivenUp[];
  /** Why it does not get what it asks for. */
  readonly obstacle: Obstacle | undefined;
  /** Why it gets only part of what it asks for. */
  readonly missing: readonly Obstacle[];
  /** How the pool was found that additions come from. */
  readonly choice: PoolChoice | undefined;
  /** The wish for re-evaluation is fulfilled or refused. */
  readonly isReEvaluated: boolean;
}

export function serve(claimant: Claimant, round: Round): Outcome {
  const outcome = decide(claimant, round);
  for (const place of outcome.additions) round.occupancy.take(claimant, place);
  for (const { place } of outcome.givesUp) round.occupancy.giveUp(place);
  return outcome;
}

/** Nothing came of it and nothing was given up: it can be tried again. */
export function isRefusal({ obstacle, additions, givesUp }: Outcome): boolean {
  return obstacle !== undefined && additions.length + givesUp.length === 0;
}

function decide(claimant: Claimant, round: Round): Outcome {
  const { request } = claimant.service;
  const [problem] = request.problems;
  if (problem !== undefined) {
    const obstacle = refuse('other', `invalid request: ${problem.path}: ${problem.message}`);
    return { ...stay(claimant.held), obstacle, isReEvaluated: request.wantsReEvaluation };
  }
  const isAsked = request.wantsReEvaluation || round.state.settings.convergesUnasked;
  if (claimant.held.length > 0 && !isAsked) return retain(claimant, round);
  return converge(claimant, round);
}

const none: readonly never[] = [];

function stay(addresses: readonly Place[]): Outcome {
  return {
    addresses,
    additions: none,
    givesUp: none,
    obstacle: undefined,
    missing: none,
    choice: undefined,
    isReEvaluated: false,
  };
}

/** What it holds, with what it lacks added and what it no longer asks for left out. */
function retain(claimant: Claimant, round: Round): Outcome {
  const { kept, givesUp } = shedAddresses(claimant, round);
  const left = leave(claimant, kept, round);
  const staying = left?.staying ?? kept;
  const filling = left?.filling ?? complete(claimant, kept, round);
  if (isObstacle(filling)) return { ...stay(kept), givesUp, obstacle: filling };
  if (filling === nothingMore && givesUp.length === 0) return stay(kept);
  const moved = kept.filter((place) => !staying.includes(place));
  return {
    ...stay(orderByFamily(claimant, staying, filling.additions)),
    ...filling,
    givesUp: [...givesUp, ...moved.map((place) => ({ place, cause: 'conflict' as const }))],
  };
}

/** Addresses that someone else answers for are left only once there are others in their place. */
function leave(claimant: Claimant, kept: readonly Place[], round: Round) {
  const { leaving } = round.conflicts;
  const staying = leaving.size === 0 ? kept : kept.filter(({ ip }) => !leaving.has(ip));
  if (staying.length === kept.length) return undefined;
  const filling = complete(claimant, staying, round);
  if (isObstacle(filling)) return undefined;
  const isReplaced = ({ family }: Place) =>
    filling.additions.some((addition) => addition.family === family);
  const moved = kept.filter((place) => !staying.includes(place));
  return moved.every(isReplaced) ? { staying, filling } : undefined;
}

function complete(claimant: Claimant, kept: readonly Place[], round: Round): Filling | Obstacle {
  const { service } = claimant;
  const pool = heldPool(claimant);
  const isHeld = (family: Family) => kept.some((place) => place.family === family);
  const isSpread = pool !== undefined && wantsEveryRange(service, pool);
  if (service.request.addresses.length > 0 && (pool?.source.kind ?? 'cluster') === 'cluster') {
    const wishes = service.request.addresses.filter((ip) => !isHeld(familyOf(ip)));
    return fillWishes(claimant, wishes, kept, round);
  }
  const isCovered = service.families.every(isHeld);
  if (isCovered && kept.length > 0 && !isSpread) return nothingMore;
  const choice = pool === undefined ? choosePool(service, round.state) : { pool };
  return isObstacle(choice) ? choice : fillFrom(choice.pool, claimant, kept, round);
}

const nothingMore: Filling = { additions: none, missing: none };

/** Brings the Service to what it asks for, as if it were new, but with what fits of what it holds. */
function converge(claimant: Claimant, round: Round): Outcome {
  const target = chooseTarget(claimant, round);
  if (isObstacle(target)) return fallBack(claimant, target, round);
  const kept = fittingAddresses(claimant, target.choice?.pool, round);
  const filling = fillTarget(claimant, target, kept, round);
  const { choice } = target;
  if (isObstacle(filling)) return { ...fallBack(claimant, filling, round), choice };
  const gone = claimant.held.filter((place) => !kept.includes(place));
  return {
    ...stay(orderByFamily(claimant, kept, filling.additions)),
    ...filling,
    givesUp: gone.map((place) => ({ place, cause: 'converged' })),
    choice,
    isReEvaluated: true,
  };
}

function fallBack(claimant: Claimant, obstacle: Obstacle, round: Round): Outcome {
  const held = claimant.held.length > 0 ? retain(claimant, round) : stay([]);
  return { ...held, obstacle, isReEvaluated: obstacle.kind === 'refuse' };
}

/** Without a choice of pool where addresses are asked for by name. */
interface Target {
  readonly choice: PoolChoice | undefined;
}

function chooseTarget({ service }: Claimant, round: Round): Target | Obstacle {
  const { addresses, group } = service.request;
  const named = round.state.pools.byName.get(group ?? '');
  if (addresses.length > 0 && named === undefined) return chooseSource(service, round);
  const isByName = named !== undefined && addresses.length > 0;
  if (isByName && !isForSource(addresses, named, round)) return { choice: undefined };
  const choice = choosePool(service, round.state);
  return isObstacle(choice) ? choice : { choice };
}

function fillTarget(
  claimant: Claimant,
  { choice }: Target,
  kept: readonly Place[],
  round: Round,
): Filling | Obstacle {
  if (choice !== undefined) return fillFrom(choice.pool, claimant, kept, round);
  return fillWishes(claimant, claimant.service.request.addresses, kept, round);
}

function fillFrom(
  pool: Pool,
  claimant: Claimant,
  kept: readonly Place[],
  round: Round,
): Filling | Obstacle {
  if (pool.identity.isDeleting) return refuseDeleted(pool);
  if (pool.source.kind !== 'cluster') return fillFromSource(claimant, pool, kept, round);
  return wantsEveryRange(claimant.service, pool)
    ? fillRanges(claimant, pool, kept, round)
    : fillFamilies(claimant, pool, kept, round);
}
