/** Services whose decision depends on nothing but themselves and their pool, as long as nobody else is on their address. */

import type { Decision, ServiceDecision } from './allocation-plan.ts';
import type { Claimant } from './claimant.ts';
import { wantsEveryRange } from './fill-ranges.ts';
import type { Round } from './round.ts';
import { tellsOfRewrite } from './traffic-policy.ts';

/** Whether the decision would be the same in every plan in which `isUndisturbed` holds. */
export function isLasting(claimant: Claimant, decision: Decision): boolean {
  if (decision.kind === 'ignore') return true;
  const { service, held } = claimant;
  const { sharingKey, addresses } = service.request;
  return (
    isDone(decision) &&
    sharingKey === undefined &&
    addresses.length === 0 &&
    held.every(({ use }) => use !== undefined && !wantsEveryRange(service, use.pool)) &&
    isPolicyLasting(claimant)
  );
}

function isDone({ kind, isChange, waitsFor }: ServiceDecision): boolean {
  return kind === 'keep' && !isChange && waitsFor.length === 0;
}

/** Local is judged by where nodes are, and by who sets it back, unless the pool or the Service leaves no question. */
function isPolicyLasting({ service, held }: Claimant): boolean {
  if (service.externalTrafficPolicy === 'Cluster') {
    return !tellsOfRewrite(service) || held.every(({ pool }) => pool?.announce === 'local');
  }
  return held.every(({ pool }) => {
    if (pool?.announce === 'remote') return true;
    return pool?.announce === 'local' && (service.request.allowsLocal || pool.keepsLocalPolicy);
  });
}

/** Nobody else is on its addresses, on the network or in the cluster. */
export function isUndisturbed({ held }: Claimant, { conflicts, occupancy }: Round): boolean {
  const { leaving, staying } = conflicts;
  return held.every(
    ({ ip }) => occupancy.usersOf(ip).length === 1 && !leaving.has(ip) && !staying.has(ip),
  );
}
