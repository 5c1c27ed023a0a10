import type { Cluster } from '../kube/cluster.ts';
import type { Resource } from '../kube/resource.ts';
import { serviceGroups, services } from '../kube/resources.ts';
import type { KubeObject } from '../model/kube-object.ts';

interface Overlay {
  put(object: KubeObject): void;
}

/**
 * Brings the stores up to what holds now. A watch may lag behind by any amount, and a new leader that does not see its
 * predecessor's last write would give the same address away once more; a list is never older than its request.
 */
export async function catchUp(
  cluster: Cluster,
  stores: { readonly services: Overlay; readonly groups: Overlay },
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([
    listInto(cluster, serviceGroups, stores.groups, signal),
    listInto(cluster, services, stores.services, signal),
  ]);
}

async function listInto(
  cluster: Cluster,
  resource: Resource,
  store: Overlay,
  signal: AbortSignal,
): Promise<void> {
  for await (const { items } of cluster.list(resource, { signal, pageSize: 250 })) {
    for (const item of items) store.put(item);
  }
}
