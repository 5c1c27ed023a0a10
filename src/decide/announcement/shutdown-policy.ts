/**
 * What an agent leaves behind when it is told to stop. Most stops are restarts and upgrades: the kernel serves on
 * without it, for as long as a successor may need to come up.
 */

import type { HeldAddress } from '../../model/address.ts';
import type { PlannedChange } from './plan-addresses.ts';
import { armForRestart, findAging } from './restart-grace.ts';

export interface ShutdownFacts {
  /** `leaving`: gone, or being deleted; `unknown`: the API server could not be asked. */
  readonly daemonSet: 'present' | 'leaving' | 'unknown';
  readonly held: readonly HeldAddress[];
  readonly graceSeconds: number;
}

export interface ShutdownPlan {
  readonly policy: 'keep' | 'remove';
  readonly changes: readonly PlannedChange[];
  /** The virtual link goes with PureLB; across restarts it stays, or every remote address of the node would flap. */
  readonly removesVirtualLink: boolean;
}

export function planShutdown({ daemonSet, held, graceSeconds }: ShutdownFacts): ShutdownPlan {
  if (daemonSet !== 'leaving') {
    const changes = findAging(held).map((address) => armForRestart(address, graceSeconds));
    return { policy: 'keep', changes, removesVirtualLink: false };
  }
  const changes = held.filter(({ isOurs }) => isOurs).map(removeUninstalled);
  return { policy: 'remove', changes, removesVirtualLink: true };
}

function removeUninstalled({ link, ip, prefixLength }: HeldAddress): PlannedChange {
  return { change: { kind: 'remove', address: { link, ip, prefixLength } }, reason: 'uninstalled' };
}
