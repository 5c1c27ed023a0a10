/** Giving addresses in the kernel time to outlast a restart of the agent, whatever time they had left. */

import type { HeldAddress } from '../../model/address.ts';
import type { PlannedChange } from './plan-addresses.ts';

/** Ours with a lifetime. Permanent ones need no grace, and ones that failed detection shall not be kept. */
export function findAging(held: readonly HeldAddress[]): readonly HeldAddress[] {
  return held.filter(
    ({ isOurs, validSeconds, hasFailedDad }) =>
      isOurs && validSeconds !== Infinity && !hasFailedDad,
  );
}

export function armForRestart(
  { link, ip, prefixLength, preferredSeconds, noPrefixRoute }: HeldAddress,
  graceSeconds: number,
): PlannedChange {
  return {
    change: {
      kind: 'refresh',
      address: {
        link,
        ip,
        prefixLength,
        validSeconds: graceSeconds,
        // What is deprecated stays so: it must not become the source of the node's own traffic.
        preferredSeconds: preferredSeconds === 0 ? 0 : graceSeconds,
        noPrefixRoute,
        noDad: true,
      },
    },
    reason: 'restartGrace',
  };
}
