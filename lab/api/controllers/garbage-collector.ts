/**
 * What belongs to something goes with it: in the background once its owners are gone, before its owner when that
 * waits in the foreground, or not at all when it is to be orphaned.
 */

import type { ApiObject } from '../api-object.ts';
import { crdCollection } from '../custom/custom-resources.ts';
import { isJsonObject, type JsonObject, textAt } from '../json.ts';
import { keyOf } from '../resource.ts';
import type { Core } from '../rest/core.ts';
import type { Change } from '../store/store.ts';
import { keyOfObject } from './controller.ts';
import { Hands } from './hands.ts';

const foreground = 'foregroundDeletion';
const orphaning = 'orphan';

/** Returns what stops it. Every change anywhere may concern it, so one look at a time covers all of them. */
export function startGarbageCollector(core: Core): () => void {
  const hands = new Hands(core, 'generic-garbage-collector');
  let cancel: (() => void) | undefined;
  const look = () => {
    cancel ??= core.clock.after(0, () => {
      cancel = undefined;
      if (collect(hands)) look();
    });
  };
  const followed = new Map<string, () => void>();
  const followAll = () => {
    for (const { collection } of core.registry.all()) {
      if (followed.has(collection)) continue;
      const stop = core.store.collection(collection).subscribe((change) => {
        if (isConcerning(change)) look();
        // A new definition brings a new collection.
        if (collection === crdCollection) followAll();
      });
      followed.set(collection, stop);
    }
  };
  followAll();
  look();
  return () => {
    cancel?.();
    for (const stop of followed.values()) stop();
  };
}

/** Something goes, or comes and may already have lost its owner. */
function isConcerning({ object, previous }: Change): boolean {
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return true;
  return previous === undefined && object.metadata.ownerReferences !== undefined;
}

/** One pass; true when it changed something that another pass may build on. */
function collect(hands: Hands): boolean {
  const dependents = findDependents(hands);
  const byOwner = Map.groupBy(
    dependents.flatMap((it) => it.owners.map((owner) => ({ ...it, owner }))),
    ({ owner }) => textAt(owner, 'uid'),
  );
  let hasChanged = false;
  for (const [collection, object] of waiting(hands)) {
    const owned = byOwner.get(object.metadata.uid ?? '') ?? [];
    hasChanged = settleOwner(hands, { collection, object }, owned) || hasChanged;
  }
  for (const dependent of dependents) hasChanged = settleDependent(hands, dependent) || hasChanged;
  return hasChanged;
}

interface Place {
  readonly collection: string;
  readonly object: ApiObject;
}

interface Dependent extends Place {
  readonly owners: readonly JsonObject[];
}

function* everything(hands: Hands): Generator<[string, ApiObject]> {
  const names = new Set(hands.core.registry.all().map(({ collection }) => collection));
  for (const name of names) {
    for (const [, object] of [...hands.core.store.collection(name).entries()]) yield [name, object];
  }
}

function findDependents(hands: Hands): readonly Dependent[] {
  return [...everything(hands)].flatMap(([collection, object]) => {
    const owners = object.metadata.ownerReferences ?? [];
    return owners.length === 0 ? [] : [{ collection, object, owners }];
  });
}

/** Objects that wait for this controller before they go. */
function* waiting(hands: Hands): Generator<[string, ApiObject]> {
  for (const [collection, object] of everything(hands)) {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const isOurs = finalizers.includes(foreground) || finalizers.includes(orphaning);
    if (deletionTimestamp !== undefined && isOurs) yield [collection, object];
  }
}

function settleOwner(
  hands: Hands,
  { collection, object }: Place,
  owned: readonly (Dependent & { readonly owner: JsonObject })[],
): boolean {
  if (object.metadata.finalizers?.includes(orphaning) === true) {
    for (const it of owned) disown(hands, it, (owner) => owner['uid'] === object.metadata.uid);
    release(hands, { collection, object }, orphaning);
    return true;
  }
  const blocking = owned.filter(({ owner }) => owner['blockOwnerDeletion'] === true);
  if (blocking.length === 0) {
    release(hands, { collection, object }, foreground);
    return true;
  }
  const fresh = owned.filter((it) => it.object.metadata.deletionTimestamp === undefined);
  for (const it of fresh) hands.remove(it.collection, it.object, { propagation: 'Foreground' });
  return fresh.length > 0;
}

function release(hands: Hands, { collection, object }: Place, finalizer: string): void {
  hands.replace(collection, object, ({ metadata }) => {
    const others = (metadata.finalizers ?? []).filter((it) => it !== finalizer);
    if (others.length > 0) metadata.finalizers = others;
    else delete metadata.finalizers;
  });
}

function disown(hands: Hands, { collection, object }: Place, isGone: (it: JsonObject) => boolean) {
  hands.replace(collection, object, ({ metadata }) => {
    const others = (metadata.ownerReferences ?? []).filter((it) => !isGone(it));
    if (others.length > 0) metadata.ownerReferences = others;
    else delete metadata.ownerReferences;
  });
}

/** An object lives as long as one of its owners does. */
function settleDependent(hands: Hands, { collection, object: seen }: Dependent): boolean {
  const object = hands.get(collection, keyOfObject(seen));
  const owners = object?.metadata.ownerReferences ?? [];
  if (object?.metadata.deletionTimestamp !== undefined || owners.length === 0) return false;
  const gone = owners.filter((owner) => !isThere(hands, seen, owner));
  if (gone.length === 0) return false;
  if (gone.length === owners.length) hands.remove(collection, seen);
  else
    disown(hands, { collection, object: seen }, ({ uid }) =>
      gone.some((owner) => owner['uid'] === uid),
    );
  return gone.length === owners.length;
}

function isThere({ core }: Hands, dependent: ApiObject, owner: JsonObject): boolean {
  const { registry, store } = core;
  const resource = registry.findKind(textAt(owner, 'apiVersion'), textAt(owner, 'kind'));
  // Of a kind that is not served nothing can be said.
  if (resource === undefined) return true;
  const key = keyOf(resource, dependent.metadata.namespace ?? '', textAt(owner, 'name'));
  const found = store.collection(resource.collection).get(key);
  return isJsonObject(found) && found.metadata.uid === owner['uid'];
}
