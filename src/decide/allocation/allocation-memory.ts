/**
 * What earlier plans found out about Services that have not changed since. A plan is the same with or without it, only
 * sooner: of ten thousand Services most hold what they should, and nothing happened to them. They are settled: they stay
 * on their addresses from plan to plan, and are not looked at again until they change, or someone comes near them.
 * What is kept is changed in place: lists of ten thousand, made anew for each plan, would fill the memory.
 */

import type { LoadBalancer } from '../../model/load-balancer.ts';
import { type AllocationFrame, frameOf, isSameFrame } from './allocation-frame.ts';
import type { Decision } from './allocation-plan.ts';
import type { AllocationState, Quarantine } from './allocation-state.ts';
import { findClaimant } from './find-claimant.ts';
import { isLasting, isUndisturbed } from './is-undisturbed.ts';
import { Occupancy } from './occupancy.ts';
import { Places } from './place.ts';
import type { Round } from './round.ts';
import { compareSeats, type Seat, SeatOrder } from './seat-order.ts';

/** What is decided about a Service in this plan. */
export interface Verdict {
  readonly seat: Seat;
  readonly decision: Decision;
}

export class AllocationMemory {
  #frame: AllocationFrame | undefined;
  #occupancy = new Occupancy(new Places(noPools));
  /** As the Services came. */
  #seats: Seat[] = [];
  /** About whom something is to be decided. */
  #open = new Set<Seat>();
  #order = new SeatOrder();

  /** Who is on which address, and those about whom something is to be decided, in the order of their right. */
  open(state: AllocationState, quarantine: Quarantine) {
    if (this.#frame === undefined || !isSameFrame(this.#frame, state)) this.#forget(state);
    // Until the plan is made, what is remembered of the one before is worth nothing.
    this.#frame = undefined;
    this.#occupancy.begin(quarantine, state.now);
    this.#reseat(state);
    for (const ip of contested(this.#open, quarantine, state)) {
      for (const claimant of this.#occupancy.usersOf(ip).slice()) {
        this.#unsettle(this.#order.find(claimant));
      }
    }
    return { occupancy: this.#occupancy, open: [...this.#open].sort(compareSeats) };
  }

  /** All decisions, in the order of the Services' right. */
  close(verdicts: readonly Verdict[], round: Round): readonly Decision[] {
    for (const { seat, decision } of verdicts) {
      seat.decision = decision;
      const { claimant } = seat;
      if (!isLasting(claimant, decision) || !isUndisturbed(claimant, round)) continue;
      this.#open.delete(seat);
      this.#occupancy.settle(claimant);
    }
    this.#frame = frameOf(round.state);
    return this.#order.all.map(({ decision }) => decision);
  }

  #forget({ pools }: AllocationState): void {
    this.#occupancy = new Occupancy(new Places(pools));
    this.#seats = [];
    this.#open = new Set();
    this.#order = new SeatOrder();
  }

  /** Services mostly stay where they were in the list: only where another is now has anything to be looked up. */
  #reseat({ services, settings }: AllocationState): void {
    const vacant = findVacant(this.#seats, services);
    if (vacant.length === 0) return;
    const displaced = new Map<LoadBalancer, Seat>();
    for (const seat of vacant.flatMap((index) => this.#seats[index] ?? [])) {
      displaced.set(seat.claimant.service, seat);
    }
    const added: Seat[] = [];
    this.#seats.length = services.length;
    for (const index of vacant) {
      const service = services[index];
      if (service === undefined) continue;
      this.#seats[index] = displaced.get(service) ?? this.#admit(service, settings, added);
      displaced.delete(service);
    }
    for (const seat of displaced.values()) this.#dismiss(seat);
    this.#order.change([...displaced.values()], added);
  }

  #admit(service: LoadBalancer, settings: AllocationState['settings'], added: Seat[]): Seat {
    const claimant = findClaimant(service, settings, this.#occupancy.places);
    const seat: Seat = { claimant, decision: { kind: 'ignore', service, why: 'it is new' } };
    this.#open.add(seat);
    added.push(seat);
    return seat;
  }

  #dismiss(seat: Seat): void {
    this.#unsettle(seat);
    this.#open.delete(seat);
  }

  #unsettle(seat: Seat | undefined): void {
    if (seat === undefined || this.#open.has(seat)) return;
    this.#open.add(seat);
    this.#occupancy.unsettle(seat.claimant);
  }
}

/** Where another Service is now than before, or none. */
function findVacant(seats: readonly Seat[], services: readonly LoadBalancer[]): readonly number[] {
  const vacant: number[] = [];
  for (let index = 0; index < Math.max(services.length, seats.length); index += 1) {
    if (services[index] !== seats[index]?.claimant.service) vacant.push(index);
  }
  return vacant;
}

/** Addresses that someone says it holds who is not settled, or that are in conflict on the network. */
function contested(
  open: ReadonlySet<Seat>,
  quarantine: Quarantine,
  { conflicts, now }: Pick<AllocationState, 'conflicts' | 'now'>,
) {
  const ips = [...open].flatMap(({ claimant }) => claimant.held.map(({ ip }) => ip));
  ips.push(...conflicts.keys());
  for (const entries of quarantine.values()) {
    for (const { ip, reason, until } of entries) {
      if (reason === 'Conflict' && until > now) ips.push(ip);
    }
  }
  return ips;
}

const noPools = { pools: [], byName: new Map(), recorded: new Map() };
