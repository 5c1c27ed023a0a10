/**
 * What a starting agent does with what its predecessor left, before it knows anything of the cluster: it keeps it
 * alive. What is not wanted goes when everything is known, by the usual plan; nothing is removed before.
 */

import type { HeldAddress } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import type { PlannedChange } from './plan-addresses.ts';
import { armForRestart, findAging } from './restart-grace.ts';

export interface AdoptionFacts {
  readonly held: readonly HeldAddress[];
  /** Addresses that another host answers for: someone took over, and ours run out. */
  readonly answered: ReadonlySet<Ip>;
  readonly graceSeconds: number;
  /** The first act of the process, rather than a repeat while it waits for the API server. */
  readonly isStart: boolean;
  /** In ms on the monotonic clock. */
  readonly now: number;
}

export interface Adoption {
  readonly changes: readonly PlannedChange[];
  /** When to do it again, should the cluster still be unknown; `Infinity` if there is nothing to keep. */
  readonly wakeAt: number;
}

/** Never shortens a life: less than the grace is left, or nothing is done. */
export function planAdoption(facts: AdoptionFacts): Adoption {
  const { held, answered, graceSeconds, isStart, now } = facts;
  const kept = findAging(held).filter(({ ip }) => !answered.has(ip));
  const limit = isStart ? graceSeconds : graceSeconds / 2;
  const isDue = kept.some(({ validSeconds }) => validSeconds <= limit);
  const due = isDue ? kept.filter(({ validSeconds }) => validSeconds < graceSeconds) : [];
  const remaining = kept.map(({ validSeconds }) =>
    isDue ? Math.max(validSeconds, graceSeconds) : validSeconds,
  );
  return {
    changes: due.map((address) => armForRestart(address, graceSeconds)),
    wakeAt: now + 1000 * (Math.min(...remaining) - graceSeconds / 2),
  };
}
