/** As many pods as a ReplicaSet wants, made from its template. */

import type { ApiObject } from '../api-object.ts';
import { cloneJson, type JsonObject, objectAt, textAt, valueAt } from '../json.ts';
import { matchesLabels } from '../selectors/matches-selector.ts';
import { type Controller, itself } from './controller.ts';
import type { Hands } from './hands.ts';
import { adopters, ownedBy, ownerKeys, referenceTo } from './owners.ts';
import { availableIn, isActive, isReady } from './pod-state.ts';

export const replicaSetCollection = 'replicasets.apps';
/** In one go, as the real controller does, so that a mistake does not flood the cluster. */
const most = 500;

export const replicaSetController: Controller = {
  name: 'replicaset-controller',
  watches: {
    [replicaSetCollection]: itself,
    pods: (pod, hands) => [
      ...ownerKeys(pod, 'ReplicaSet'),
      ...adopters(hands, replicaSetCollection, pod),
    ],
  },
  reconcile: (hands, key) => {
    const set = hands.get(replicaSetCollection, key);
    if (set === undefined) return undefined;
    const pods = ownedBy(hands, 'pods', set).filter(isActive);
    if (set.metadata.deletionTimestamp === undefined) fit(hands, set, pods);
    return writeCounts(hands, set, ownedBy(hands, 'pods', set).filter(isActive));
  },
};

function fit(hands: Hands, set: ApiObject, pods: readonly ApiObject[]): void {
  const wanted = Number(valueAt(set, 'spec', 'replicas') ?? 0);
  const missing = Math.min(wanted - pods.length, most);
  for (let index = 0; index < missing; index += 1) createPod(hands, set);
  const surplus = ranked(hands, pods).slice(0, Math.max(0, pods.length - wanted));
  for (const pod of surplus) {
    hands.remove('pods', pod);
    hands.record(set, ['Normal', 'SuccessfulDelete'], `Deleted pod: ${String(pod.metadata.name)}`);
  }
}

function createPod(hands: Hands, set: ApiObject): void {
  const { namespace = '', name = '' } = set.metadata;
  const pod = hands.create('pods', namespace, podFrom(set, { generateName: `${name}-` }));
  hands.record(set, ['Normal', 'SuccessfulCreate'], `Created pod: ${String(pod.metadata.name)}`);
}

/** A pod of a workload's template. */
export function podFrom(owner: ApiObject, more: JsonObject): JsonObject {
  const template = objectAt(owner, 'spec', 'template');
  const { labels, annotations } = objectAt(template, 'metadata');
  return {
    metadata: {
      ...(labels === undefined ? {} : { labels: cloneJson(labels) }),
      ...(annotations === undefined ? {} : { annotations: cloneJson(annotations) }),
      ownerReferences: [referenceTo(owner)],
      ...more,
    },
    spec: cloneJson(objectAt(template, 'spec')),
  };
}

/** Those to go first come first: without a node, not ready, on a node with many of the same, the youngest. */
function ranked(hands: Hands, pods: readonly ApiObject[]): readonly ApiObject[] {
  const nodeOf = (pod: ApiObject) => textAt(pod, 'spec', 'nodeName');
  const crowd = (pod: ApiObject) => pods.filter((it) => nodeOf(it) === nodeOf(pod)).length;
  const age = (pod: ApiObject) => Date.parse(pod.metadata.creationTimestamp ?? '') || hands.now;
  const rank = (pod: ApiObject) => [
    Number(nodeOf(pod) !== ''),
    Number(isReady(pod)),
    -crowd(pod),
    -age(pod),
  ];
  return pods.toSorted((left, right) => compare(rank(left), rank(right)));
}

function compare(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((value, at) => value !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

function writeCounts(hands: Hands, set: ApiObject, pods: readonly ApiObject[]): number | undefined {
  const labels = objectAt(set, 'spec', 'template', 'metadata', 'labels');
  const minReady = Number(valueAt(set, 'spec', 'minReadySeconds') ?? 0);
  const waits = pods.map((pod) => availableIn(pod, minReady, hands.now));
  hands.writeStatus(replicaSetCollection, set, {
    replicas: pods.length,
    ...counted({
      fullyLabeledReplicas: pods.filter((pod) => matchesLabels(labels, pod.metadata.labels)).length,
      readyReplicas: pods.filter(isReady).length,
      availableReplicas: waits.filter((wait) => wait === 0).length,
    }),
    observedGeneration: set.metadata.generation ?? 0,
  });
  return soonest(waits);
}

/** Counts of nothing are left out, as Go prints them. */
export function counted(counts: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

/** When the next ready pod becomes available. */
export function soonest(waits: readonly (number | undefined)[]): number | undefined {
  const left = waits.filter((wait) => wait !== undefined && wait > 0) as number[];
  return left.length === 0 ? undefined : Math.min(...left);
}
