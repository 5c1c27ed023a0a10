/** Lifetimes of addresses in the kernel: the dead man's switch that takes them down if nobody refreshes them. */

import type { HeldAddress, WantedAddress } from '../../model/address.ts';

/** A wanted address and its present counterpart. */
export interface AddressMatch {
  readonly wanted: WantedAddress;
  readonly held: HeldAddress;
  /** The kernel must not be told more, since the other members could not know; absent: nothing is known against it. */
  readonly mostSeconds?: number;
}

/** What the kernel counts in, and rounds to. */
const toleranceSeconds = 2;

export function isPastHalfLife(match: AddressMatch): boolean {
  return halfLifeIn(match) <= 0;
}

/** In seconds; `Infinity` for an address that is to stay for ever. */
export function halfLifeIn({ wanted, held }: AddressMatch): number {
  if (wanted.validSeconds === Infinity) return Infinity;
  return held.validSeconds - wanted.validSeconds / 2;
}

export function isRefreshDue(match: AddressMatch): boolean {
  return refreshDueIn(match) <= 0;
}

/** The agent extends by no less than this, or than half of the lifetime where that is less. */
const leastGainSeconds = 15;

/** In seconds; `Infinity` for an address that is to stay for ever. */
export function refreshDueIn(match: AddressMatch): number {
  const { wanted, held, mostSeconds = Infinity } = match;
  if (wanted.validSeconds === Infinity) return Infinity;
  const reachable = Math.min(wanted.validSeconds, mostSeconds);
  const leastGain = Math.min(leastGainSeconds, wanted.validSeconds / 2);
  return Math.max(halfLifeIn(match), held.validSeconds - (reachable - leastGain));
}

/** The address as it is when so much of its lifetime is left. */
export function ageTo(wanted: WantedAddress, seconds: number): WantedAddress {
  if (wanted.validSeconds === Infinity || seconds >= wanted.validSeconds) return wanted;
  const elapsed = wanted.validSeconds - seconds;
  const preferredSeconds = Math.max(0, wanted.preferredSeconds - elapsed);
  return { ...wanted, validSeconds: seconds, preferredSeconds };
}

/** Whether the kernel would keep the address for longer than it may. */
export function isOverlong({ wanted, held, mostSeconds = Infinity }: AddressMatch): boolean {
  if (wanted.validSeconds === Infinity) return false;
  return held.validSeconds > mostSeconds + toleranceSeconds;
}

/** Whether the address was last set to other lifetimes than are wanted now. */
export function hasLifetimeDrifted({ wanted, held }: AddressMatch): boolean {
  if (wanted.validSeconds === Infinity) {
    return held.validSeconds !== Infinity || held.preferredSeconds !== wanted.preferredSeconds;
  }
  if (held.validSeconds > wanted.validSeconds) return true;
  const elapsed = wanted.validSeconds - held.validSeconds;
  const expected = Math.max(0, wanted.preferredSeconds - elapsed);
  return Math.abs(held.preferredSeconds - expected) > toleranceSeconds;
}
