import type { PlannedEvent } from '../decide/allocation/allocation-plan.ts';
import type { ObjectReference } from '../kube/event-object.ts';
import type { EventWish } from '../kube/event-series.ts';
import { apiVersionOf, type Resource } from '../kube/resource.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { type EventReason, eventReasons } from '../model/reasons.ts';

/** What was done or tried, as Events want to have it said. */
const actions: Readonly<Partial<Record<EventReason, string>>> = {
  AddressAssigned: 'Allocate',
  AllocationFailed: 'Allocate',
  AddressReleased: 'Release',
  ReleaseFailed: 'Release',
};

export function toEvent(
  resource: Resource,
  { metadata }: KubeObject,
  { reason, message }: PlannedEvent,
): EventWish {
  const { name, namespace, uid, resourceVersion } = metadata;
  const regarding: ObjectReference = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const action = actions[reason] ?? 'Configure';
  return { regarding, type: eventReasons[reason], reason, action, note: message };
}
