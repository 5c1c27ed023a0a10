/**
 * What earlier plans found out about Services that have not changed since. A plan is the same with or without it, only
 * sooner: of ten thousand Services most hold what they should, and nothing happened to them. They are settled: they stay
 * on their addresses from plan to plan, and are not looked at again until they change, or someone comes near them.
 */

import type { LoadBalancer } from '../../model/load-balancer.ts';
import { type AllocationFrame, frameOf, isSameFrame } from './allocation-frame.ts';
import type { Decision } from './allocation-plan.ts';
import type { AllocationState, Quarantine } from './allocation-state.ts';
import type { Claimant } from './claimant.ts';
import { compareRight, findClaimant } from './find-claimant.ts';
import { isLasting, isUndisturbed } from './is-undisturbed.ts';
import { Occupancy } from './occupancy.ts';
import { Places } from './place.ts';
import type { Round } from './round.ts';

/** A Service and, once it is settled, what is decided about it. */
export interface Seat {
  readonly claimant: Claimant;
  decision: Decision | undefined;
}

/** What is decided about a Service in this plan. */
export interface Verdict {
  readonly seat: Seat;
  readonly decision: Decision;
}

interface Frame extends AllocationFrame {
  readonly occupancy: Occupancy;
}

export class AllocationMemory {
  #frame: Frame | undefined;
  /** As the Services came. */
  #seats: readonly Seat[] = [];
  /** In the order of their right; with some that are gone, and then not settled. */
  #order: readonly Seat[] = [];

  /** Who is on which address, and those about whom something is to be decided, in the order of their right. */
  open(state: AllocationState, quarantine: Quarantine) {
    const frame = this.#frameFor(state);
    // Until the plan is made, what is remembered of the one before is worth nothing.
    this.#frame = undefined;
    const { occupancy } = frame;
    occupancy.begin(quarantine, state.now);
    this.#seats = reseat(this.#seats, state, occupancy);
    const changed = this.#seats.filter(({ decision }) => decision === undefined);
    const touched = unsettle(changed, this.#seats, quarantine, state.now, occupancy);
    const open = [...changed, ...touched].sort((left, right) =>
      compareRight(left.claimant, right.claimant),
    );
    const settled = this.#order.filter(({ decision }) => decision !== undefined);
    return { frame, occupancy, open, settled };
  }

  /** All decisions, in the order of the Services' right. */
  close(
    { frame, settled }: Pick<ReturnType<AllocationMemory['open']>, 'frame' | 'settled'>,
    verdicts: readonly Verdict[],
    round: Round,
  ): readonly Decision[] {
    const { order, decisions } = merge(settled, verdicts);
    for (const { seat, decision } of verdicts) {
      const { claimant } = seat;
      if (!isLasting(claimant, decision) || !isUndisturbed(claimant, round)) continue;
      seat.decision = decision;
      round.occupancy.settle(claimant);
    }
    this.#order = order;
    this.#frame = frame;
    return decisions;
  }

  /** Forgets all if pools, settings or a namespace's labels changed. */
  #frameFor(state: AllocationState): Frame {
    const before = this.#frame;
    if (before !== undefined && isSameFrame(before, state)) {
      return { ...frameOf(state), occupancy: before.occupancy };
    }
    this.#seats = [];
    this.#order = [];
    return { ...frameOf(state), occupancy: new Occupancy(new Places(state.pools)) };
  }
}

/** Services mostly stay where they were in the list: only where another is now has anything to be looked up. */
function reseat(
  before: readonly Seat[],
  { services, settings }: AllocationState,
  occupancy: Occupancy,
): readonly Seat[] {
  const displaced = new Map<LoadBalancer, Seat>();
  before.forEach((seat, index) => {
    const { service } = seat.claimant;
    if (services[index] !== service) displaced.set(service, seat);
  });
  const seats = services.map((service, index): Seat => {
    const seat = before[index];
    if (seat?.claimant.service === service) return seat;
    const known = displaced.get(service);
    displaced.delete(service);
    const claimant = known?.claimant ?? findClaimant(service, settings, occupancy.places);
    return known ?? { claimant, decision: undefined };
  });
  for (const seat of displaced.values()) unseat(seat, occupancy);
  return seats;
}

/** Those who are settled on an address that another says it holds, or that is in conflict on the network. */
function unsettle(
  open: readonly Seat[],
  seats: readonly Seat[],
  quarantine: Quarantine,
  now: number,
  occupancy: Occupancy,
): readonly Seat[] {
  const contested = open.flatMap(({ claimant }) => claimant.held.map(({ ip }) => ip));
  for (const entries of quarantine.values()) {
    for (const { ip, reason, until } of entries) {
      if (reason === 'Conflict' && until > now) contested.push(ip);
    }
  }
  const found = new Set(contested.flatMap((ip) => occupancy.usersOf(ip)));
  if (found.size === 0) return [];
  const touched = seats.filter(({ claimant }) => found.has(claimant));
  for (const seat of touched) unseat(seat, occupancy);
  return touched;
}

function unseat(seat: Seat, occupancy: Occupancy): void {
  if (seat.decision === undefined) return;
  seat.decision = undefined;
  occupancy.unsettle(seat.claimant);
}

/** Two lists in the order of right → one. */
function merge(settled: readonly Seat[], verdicts: readonly Verdict[]) {
  const order: Seat[] = [];
  const decisions: Decision[] = [];
  const add = (seat: Seat, decision: Decision | undefined) => {
    if (decision === undefined) return;
    order.push(seat);
    decisions.push(decision);
  };
  let next = 0;
  for (const seat of settled) {
    for (let first = verdicts[next]; first !== undefined; first = verdicts[next]) {
      if (compareRight(first.seat.claimant, seat.claimant) > 0) break;
      add(first.seat, first.decision);
      next += 1;
    }
    add(seat, seat.decision);
  }
  for (const { seat, decision } of verdicts.slice(next)) add(seat, decision);
  return { order, decisions };
}
