/** Which changes of what is watched call for a plan. */

import type { KubeObject } from '../model/kube-object.ts';
import type { KnownGroup, KnownLease, KnownNamespace } from './known-group.ts';
import { type KnownService, mattersToPlan } from './known-service.ts';
import type { WatchedObjects } from './watched-objects.ts';

export interface ChangeHandlers {
  readonly onPlanNeeded: () => void;
  readonly onLeaseChange: () => void;
  readonly onServiceGone: (key: string, uid: string) => void;
  /** Somebody set `externalTrafficPolicy: Local` on a Service that had Cluster. */
  readonly onPolicyLocal: (key: string) => void;
}

/** Undone by the returned function. */
export function wakeOnChanges(objects: WatchedObjects, handlers: ChangeHandlers): () => void {
  const { onPlanNeeded, onLeaseChange } = handlers;
  const wakeIf = (isNeeded: boolean) => {
    if (isNeeded) onPlanNeeded();
  };
  const undo = [
    objects.services.subscribe((key, before, after) => {
      if (after === undefined) handlers.onServiceGone(key, before?.metadata.uid ?? '');
      if (hasBecomeLocal(before, after)) handlers.onPolicyLocal(key);
      wakeIf(mattersToPlan(before, after));
    }),
    objects.groups.subscribe((_, before, after) => wakeIf(isGroupChanged(before, after))),
    objects.namespaces.subscribe((_, before, after) => wakeIf(isLabelled(before, after))),
    objects.leases.subscribe((_, before, after) => {
      if (isNodes(before) || isNodes(after)) onLeaseChange();
    }),
  ];
  return () => {
    for (const each of undo) each();
  };
}

function hasBecomeLocal(before: KnownService | undefined, after: KnownService | undefined) {
  const was = before?.balancer?.externalTrafficPolicy;
  return was === 'Cluster' && after?.balancer?.externalTrafficPolicy === 'Local';
}

/** Counts in the status are our own; what decides something there is the quarantine and the conditions. */
function isGroupChanged(before: KnownGroup | undefined, after: KnownGroup | undefined): boolean {
  const essence = (known: KnownGroup | undefined) => {
    const { uid = '', generation = 0 } = known?.metadata ?? {};
    const { status, hasFinalizer } = known?.group ?? {};
    return JSON.stringify([uid, generation, status, hasFinalizer]);
  };
  return essence(before) !== essence(after);
}

function isLabelled(before: KnownNamespace | undefined, after: KnownNamespace | undefined) {
  const essence = (known: KnownNamespace | undefined) => JSON.stringify([...(known?.labels ?? [])]);
  return essence(before) !== essence(after);
}

function isNodes(known: (KubeObject & Pick<KnownLease, 'member'>) | undefined): boolean {
  return known?.member !== undefined;
}
