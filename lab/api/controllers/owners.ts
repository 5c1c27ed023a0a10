/** Which object made which. */

import type { ApiObject } from '../api-object.ts';
import { type JsonObject, textAt, valueAt } from '../json.ts';
import { matchesSelector } from '../selectors/matches-selector.ts';
import { keyOfObject } from './controller.ts';
import type { Hands } from './hands.ts';

export function referenceTo(owner: ApiObject): JsonObject {
  const { apiVersion, kind, metadata } = owner;
  const { name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function controllerOf({ metadata }: ApiObject): JsonObject | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  return controllerOf(object)?.['uid'] === owner.metadata.uid;
}

/** Key of the object's controller when that is of this kind. */
export function ownerKeys(object: ApiObject, kind: string): readonly string[] {
  const owner = controllerOf(object);
  if (owner === undefined || owner['kind'] !== kind) return [];
  return [`${object.metadata.namespace ?? ''}/${textAt(owner, 'name')}`];
}

/** Keys of those that select an object which nobody controls. */
export function adopters(hands: Hands, collection: string, object: ApiObject): readonly string[] {
  if (controllerOf(object) !== undefined) return [];
  return hands
    .list(collection, object.metadata.namespace)
    .filter((owner) => selects(owner, object))
    .map(keyOfObject);
}

function selects(owner: ApiObject, object: ApiObject): boolean {
  return matchesSelector(valueAt(owner, 'spec', 'selector'), object.metadata.labels);
}

/** What the owner controls. Orphans that it selects become its own. */
export function ownedBy(hands: Hands, collection: string, owner: ApiObject): readonly ApiObject[] {
  const isGoing = owner.metadata.deletionTimestamp !== undefined;
  return hands.list(collection, owner.metadata.namespace).flatMap((object) => {
    if (isControlledBy(object, owner)) return [object];
    const isFree =
      controllerOf(object) === undefined && object.metadata.deletionTimestamp === undefined;
    if (isGoing || !isFree || !selects(owner, object)) return [];
    return [adopt(hands, collection, object, owner)];
  });
}

function adopt(hands: Hands, collection: string, object: ApiObject, owner: ApiObject): ApiObject {
  return hands.replace(collection, object, ({ metadata }) => {
    metadata.ownerReferences = [...(metadata.ownerReferences ?? []), referenceTo(owner)];
  });
}
