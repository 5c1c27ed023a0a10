/** One pod of a DaemonSet on every node that may have one, cordoned and unready nodes included. */

import type { ApiObject } from '../api-object.ts';
import { type JsonObject, listAt, objectAt, textAt, valueAt } from '../json.ts';
import { matchesLabels } from '../selectors/matches-selector.ts';
import { type Controller, itself, keyOfObject } from './controller.ts';
import type { Hands } from './hands.ts';
import { matchesNode } from './node-affinity.ts';
import { adopters, ownedBy, ownerKeys } from './owners.ts';
import { resolveShare } from './plan-rollout.ts';
import { availableIn, isActive, isOver, isReady } from './pod-state.ts';
import { counted, podFrom, soonest } from './replica-sets.ts';
import { tolerates } from './scheduler.ts';
import { templateHash } from './template-hash.ts';

const collection = 'daemonsets.apps';
const hashLabel = 'controller-revision-hash';

export const daemonSetController: Controller = {
  name: 'daemonset-controller',
  watches: {
    [collection]: itself,
    pods: (pod, hands) => [...ownerKeys(pod, 'DaemonSet'), ...adopters(hands, collection, pod)],
    nodes: (_node, hands) => hands.list(collection).map(keyOfObject),
  },
  reconcile: (hands, key) => {
    const set = hands.get(collection, key);
    if (set === undefined) return undefined;
    const nodes = hands.list('nodes').filter((node) => isWanted(set, node));
    if (set.metadata.deletionTimestamp === undefined) fit(hands, set, nodes);
    return writeCounts(hands, set, nodes);
  },
};

/** These pods stay where others would not start. */
const tolerations: readonly JsonObject[] = [
  ...['not-ready', 'unreachable'].map((name) => ({ name, effect: 'NoExecute' })),
  ...[
    'disk-pressure',
    'memory-pressure',
    'pid-pressure',
    'unschedulable',
    'network-unavailable',
  ].map((name) => ({ name, effect: 'NoSchedule' })),
  ...['not-ready', 'unreachable'].map((name) => ({ name, effect: 'NoSchedule' })),
].map(({ name, effect }) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }));

/** The pod as it would be on any node. */
function modelPod(set: ApiObject): ApiObject {
  const pod = podFrom(set, {}) as unknown as ApiObject;
  const own = listAt(pod, 'spec', 'tolerations') as JsonObject[];
  pod.spec = { ...pod.spec, tolerations: [...own, ...tolerations] };
  return pod;
}

function isWanted(set: ApiObject, node: ApiObject): boolean {
  const pod = modelPod(set);
  const taints = listAt(node, 'spec', 'taints') as JsonObject[];
  return (
    matchesLabels(objectAt(pod, 'spec', 'nodeSelector'), node.metadata.labels) &&
    matchesNode(pod, node) &&
    taints.every((taint) => taint['effect'] === 'PreferNoSchedule' || tolerates(pod, taint))
  );
}

const hashOf = (set: ApiObject) => templateHash(objectAt(set, 'spec', 'template'));
const isCurrent = (set: ApiObject, pod: ApiObject) =>
  pod.metadata.labels?.[hashLabel] === hashOf(set);
const nodeOf = (pod: ApiObject) => textAt(pod, 'spec', 'nodeName');

function fit(hands: Hands, set: ApiObject, nodes: readonly ApiObject[]): void {
  const pods = ownedBy(hands, 'pods', set);
  for (const pod of pods.filter(isOver)) hands.remove('pods', pod);
  const names = new Set(nodes.map(({ metadata }) => metadata.name ?? ''));
  const taken = new Set<string>();
  for (const pod of pods.filter((it) => !isOver(it))) {
    const isSurplus = !names.has(nodeOf(pod)) || taken.has(nodeOf(pod));
    if (isSurplus && isActive(pod)) hands.remove('pods', pod);
    // The next one starts when the last one has ended.
    taken.add(nodeOf(pod));
  }
  for (const name of names) if (!taken.has(name)) createPod(hands, set, name);
  replaceOutdated(hands, set, nodes.length);
}

function createPod(hands: Hands, set: ApiObject, nodeName: string): void {
  const { namespace = '', name = '' } = set.metadata;
  const { metadata, spec } = modelPod(set);
  const pod = hands.create('pods', namespace, {
    metadata: {
      ...metadata,
      generateName: `${name}-`,
      labels: { ...metadata.labels, [hashLabel]: hashOf(set) },
    },
    spec: { ...spec, nodeName },
  });
  hands.record(set, ['Normal', 'SuccessfulCreate'], `Created pod: ${String(pod.metadata.name)}`);
}

/** As many at a time as may be missing; those that do not work cost nothing. */
function replaceOutdated(hands: Hands, set: ApiObject, nodes: number): void {
  const strategy = objectAt(set, 'spec', 'updateStrategy');
  if (strategy['type'] === 'OnDelete') return;
  const share = objectAt(strategy, 'rollingUpdate')['maxUnavailable'] ?? 1;
  const most = Math.max(1, resolveShare(share, nodes, 'up'));
  const pods = ownedBy(hands, 'pods', set).filter(isActive);
  const outdated = pods.filter((pod) => !isCurrent(set, pod));
  const broken = outdated.filter((pod) => !isReady(pod));
  const working = pods.filter(isReady).length;
  const room = Math.max(0, most - (nodes - working));
  const going = [...broken, ...outdated.filter(isReady).slice(0, room)];
  for (const pod of going) hands.remove('pods', pod);
}

function writeCounts(
  hands: Hands,
  set: ApiObject,
  nodes: readonly ApiObject[],
): number | undefined {
  const pods = ownedBy(hands, 'pods', set).filter(isActive);
  const names = new Set(nodes.map(({ metadata }) => metadata.name ?? ''));
  const placed = pods.filter((pod) => names.has(nodeOf(pod)));
  const minReady = Number(valueAt(set, 'spec', 'minReadySeconds') ?? 0);
  const waits = placed.map((pod) => availableIn(pod, minReady, hands.now));
  const numberAvailable = waits.filter((wait) => wait === 0).length;
  hands.writeStatus(collection, set, {
    currentNumberScheduled: placed.length,
    numberMisscheduled: pods.length - placed.length,
    desiredNumberScheduled: nodes.length,
    numberReady: placed.filter(isReady).length,
    observedGeneration: set.metadata.generation ?? 0,
    ...counted({
      updatedNumberScheduled: placed.filter((pod) => isCurrent(set, pod)).length,
      numberAvailable,
      numberUnavailable: nodes.length - numberAvailable,
    }),
  });
  return soonest(waits);
}
