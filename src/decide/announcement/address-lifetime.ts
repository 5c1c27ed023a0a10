/** Lifetimes of addresses in the kernel: the dead man's switch that takes them down if nobody refreshes them. */

import type { HeldAddress, WantedAddress } from '../../model/address.ts';

/** A wanted address and its present counterpart. */
export interface AddressMatch {
  readonly wanted: WantedAddress;
  readonly held: HeldAddress;
}

/** What the kernel counts in, and rounds to. */
const toleranceSeconds = 2;

export function isPastHalfLife(match: AddressMatch): boolean {
  return refreshDueIn(match) <= 0;
}

/** In seconds; `Infinity` for an address that is to stay for ever. */
export function refreshDueIn({ wanted, held }: AddressMatch): number {
  if (wanted.validSeconds === Infinity) return Infinity;
  return held.validSeconds - wanted.validSeconds / 2;
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
