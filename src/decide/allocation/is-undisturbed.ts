/** Services whose decision depends on nothing but themselves and their pool, as long as nobody else is on their address. */

import type { ServiceDecision } from './allocation-plan.ts';
import type { Claimant } from './claimant.ts';
import { wantsEveryRange } from './fill-ranges.ts';
import type { Round } from './round.ts';

/** Whether the decision would be the same in every plan in which `isUndisturbed` holds. */
export function isLasting({ service, held }: Claimant, decision: ServiceDecision): boolean {
  const { request, externalTrafficPolicy, grant } = service;
  const isAlone = request.sharingKey === undefined && request.addresses.length === 0;
  return (
    decision.kind === 'keep' &&
    !decision.isChange &&
    decision.waitsFor.length === 0 &&
    isAlone &&
    externalTrafficPolicy === 'Cluster' &&
    grant.conflicts.length === 0 &&
    held.every(({ use }) => use !== undefined && !wantsEveryRange(service, use.pool))
  );
}

/** Nobody else is on its addresses, on the network or in the cluster. */
export function isUndisturbed({ held }: Claimant, { conflicts, occupancy }: Round): boolean {
  const { leaving, staying } = conflicts;
  return held.every(
    ({ ip }) => occupancy.usersOf(ip).length === 1 && !leaving.has(ip) && !staying.has(ip),
  );
}
