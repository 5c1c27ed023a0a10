/** Keeps the registry in step with the definitions in the store: a definition that is written is served at once. */

import type { ApiObject } from '../api-object.ts';
import type { Registry } from '../registry.ts';
import type { Resource } from '../resource.ts';
import type { Schema } from '../schema/schema.ts';
import type { Store } from '../store/store.ts';
import { readCrd } from './crd.ts';
import { customResources } from './custom-resource.ts';

export const crdCollection = 'customresourcedefinitions.apiextensions.k8s.io';

export function serveCustomResources(
  store: Store,
  registry: Registry,
  metadataSchema: Schema,
): void {
  const served = new Map<string, readonly Resource[]>();
  const serve = (key: string, crd: ApiObject | undefined) => {
    for (const resource of served.get(key) ?? []) registry.remove(resource);
    const resources = crd === undefined ? [] : customResources(readCrd(crd), metadataSchema);
    for (const resource of resources) registry.add(resource);
    served.set(key, resources);
  };
  store.collection(crdCollection).subscribe(({ key, object, previous }) => {
    // Status changes nothing about how objects are served.
    if (object?.spec !== undefined && object.spec === previous?.spec) return;
    serve(key, object);
  });
}
