/**
 * The two controllers without which a deletion never ends: a namespace goes when its content is gone, a definition
 * when its objects are. Objects with finalizers keep both waiting.
 */

import type { ApiObject } from '../api-object.ts';
import { cleanupFinalizer } from '../custom/crd-strategy.ts';
import { crdCollection } from '../custom/custom-resources.ts';
import { cloneJson } from '../json.ts';
import { finalizersOf } from '../kinds/namespace-strategy.ts';
import type { Resource } from '../resource.ts';
import type { Core } from '../rest/core.ts';
import { type DeleteOptions, removeObject } from '../rest/remove.ts';
import { isReleased } from '../rest/update.ts';

const retryMs = 1000;

const deleteOptions: DeleteOptions = {
  gracePeriodSeconds: 0,
  propagation: 'Background',
  isDryRun: false,
  uid: '',
  resourceVersion: '',
};

/** Returns what stops it. */
export function startCleanUp(core: Core): () => void {
  const pending = new Set<() => void>();
  const later = (ms: number, action: () => void) => {
    const cancel = core.clock.after(ms, () => {
      pending.delete(cancel);
      action();
    });
    pending.add(cancel);
  };
  const follow = (collection: string, cleanUp: (object: ApiObject) => boolean) =>
    core.store.collection(collection).subscribe(({ key, object, previous }) => {
      const isNew = previous?.metadata.deletionTimestamp === undefined;
      if (object?.metadata.deletionTimestamp === undefined || !isNew) return;
      const attempt = () => {
        const current = core.store.collection(collection).get(key);
        if (current !== undefined && !cleanUp(current)) later(retryMs, attempt);
      };
      later(0, attempt);
    });
  const stops = [
    follow('namespaces', (namespace) => cleanNamespace(core, namespace)),
    follow(crdCollection, (crd) => cleanCrd(core, crd)),
  ];
  return () => {
    for (const stop of [...stops, ...pending]) stop();
  };
}

function cleanNamespace(core: Core, namespace: ApiObject): boolean {
  const { name = '' } = namespace.metadata;
  const resources = core.registry.all().filter(({ isNamespaced }) => isNamespaced);
  // Two resources may show one collection; once is enough.
  const unique = new Map(resources.map((resource) => [resource.collection, resource]));
  const left = [...unique.values()].reduce(
    (sum, resource) => sum + removeAll(core, resource, `${name}/`),
    0,
  );
  if (left > 0) return false;
  const finalizers = finalizersOf(namespace).filter((finalizer) => finalizer !== 'kubernetes');
  finish(core, 'namespaces', { ...namespace, spec: { finalizers } });
  return true;
}

function cleanCrd(core: Core, crd: ApiObject): boolean {
  const { name = '', finalizers = [] } = crd.metadata;
  const resource = core.registry.all().find(({ collection }) => collection === name);
  if (resource !== undefined && removeAll(core, resource, '') > 0) return false;
  const others = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
  finish(core, crdCollection, { ...crd, metadata: { ...crd.metadata, finalizers: others } });
  return true;
}

/** How many are left because somebody holds them. */
function removeAll(core: Core, resource: Resource, prefix: string): number {
  const collection = core.store.collection(resource.collection);
  for (const [, { metadata }] of [...collection.entries({ prefix })]) {
    const { namespace = '', name = '' } = metadata;
    removeObject(core, { resource, namespace, name, subresource: '' }, deleteOptions);
  }
  return [...collection.entries({ prefix })].length;
}

function finish(core: Core, collection: string, object: ApiObject): void {
  const key = object.metadata.name ?? '';
  const resource = core.registry.all().find((other) => other.collection === collection);
  if (resource === undefined) return;
  if (isReleased(resource, object)) core.store.remove(collection, key);
  else core.store.put(collection, key, cloneJson(object));
}
