/** What an administrator does to nodes through the API. */

import type { Cluster } from '../../src/kube/cluster.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { nodes, pods } from '../../src/kube/resources.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { eventually } from '../eventually.ts';
import { isReady, type NodeCondition } from '../kubelet/node-object.ts';

const readyWithinMs = 60_000;

/** Resolves when so many nodes are ready, as `kubectl wait` would. */
export async function nodesReady(cluster: Cluster, count: number): Promise<void> {
  const check = async () => {
    const found: KubeObject[] = [];
    for await (const { items } of cluster.list(nodes)) found.push(...items);
    const ready = found.filter(({ status }) => isReady(conditionsOf(status)));
    if (ready.length < count) throw new Error(`${ready.length} of ${count} nodes are ready`);
  };
  await eventually(check, { withinMs: readyWithinMs, everyMs: 50 });
}

function conditionsOf(status: unknown): readonly NodeCondition[] {
  return (status as { conditions?: readonly NodeCondition[] } | undefined)?.conditions ?? [];
}

/** `kubectl cordon`, and `uncordon` with false. */
export async function cordon(cluster: Cluster, node: string, isCordoned = true): Promise<void> {
  const spec = { unschedulable: isCordoned ? true : null };
  await cluster.patch(nodes, { name: node }, mergePatch({ spec }));
}

/** `kubectl drain`: no more pods, and those that are there go. Resolves when their deletion was asked for. */
export async function drain(cluster: Cluster, node: string): Promise<readonly string[]> {
  await cordon(cluster, node);
  const found = await podsOn(cluster, node);
  const isLeaving = ({ metadata }: KubeObject) =>
    metadata.ownerReferences?.every(({ kind }) => kind !== 'DaemonSet') ?? true;
  const leaving = found.filter(isLeaving);
  await Promise.all(
    leaving.map(({ metadata }) =>
      cluster.delete(pods, { namespace: metadata.namespace, name: metadata.name }),
    ),
  );
  return leaving.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

async function podsOn(cluster: Cluster, node: string): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const { items } of cluster.list(pods, { fieldSelector: `spec.nodeName=${node}` }))
    found.push(...items);
  return found;
}
