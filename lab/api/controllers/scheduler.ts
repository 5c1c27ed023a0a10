/** Gives pods their nodes: where they may run, and among those where fewest of the same kind are. */

import type { ApiObject } from '../api-object.ts';
import { type JsonObject, listAt, objectAt, textAt, valueAt } from '../json.ts';
import { matchesLabels } from '../selectors/matches-selector.ts';
import { bindPod } from '../subresources/binding.ts';
import { conditionOf } from '../tables/pod-row.ts';
import { type Controller, itself, keyOfObject } from './controller.ts';
import type { Hands } from './hands.ts';
import { matchesNode } from './node-affinity.ts';
import { controllerOf } from './owners.ts';
import { isActive } from './pod-state.ts';

export const scheduler: Controller = {
  name: 'default-scheduler',
  watches: {
    pods: (pod) => (isWaiting(pod) ? itself(pod) : []),
    nodes: (_node, hands) => hands.list('pods').filter(isWaiting).map(keyOfObject),
  },
  reconcile: (hands, key) => {
    const pod = hands.get('pods', key);
    if (pod === undefined || !isWaiting(pod)) return undefined;
    const nodes = hands.list('nodes');
    const obstacles = nodes.map((node) => obstacleTo(pod, node));
    const open = nodes.filter((_, index) => obstacles[index] === undefined);
    const best = bestOf(hands, pod, open);
    if (best === undefined) noteUnschedulable(hands, pod, obstacles);
    else bind(hands, pod, best);
    return undefined;
  },
};

function isWaiting(pod: ApiObject): boolean {
  const isOurs = textAt(pod, 'spec', 'schedulerName') === 'default-scheduler';
  const hasNode = textAt(pod, 'spec', 'nodeName') !== '';
  const isGated = listAt(pod, 'spec', 'schedulingGates').length > 0;
  return isOurs && isActive(pod) && !hasNode && !isGated;
}

/** Why the pod cannot run there, in words that follow a number of nodes; undefined when it can. */
function obstacleTo(pod: ApiObject, node: ApiObject): string | undefined {
  const isOpen = valueAt(node, 'spec', 'unschedulable') !== true;
  if (!isOpen && !tolerates(pod, unschedulable)) return 'node(s) were unschedulable';
  const taint = (listAt(node, 'spec', 'taints') as JsonObject[]).find(
    (it) => it['effect'] !== 'PreferNoSchedule' && !tolerates(pod, it),
  );
  if (taint !== undefined) {
    const { key, value = '' } = taint;
    return `node(s) had untolerated taint(s) {${String(key)}: ${String(value)}}`;
  }
  const isSelected = matchesLabels(objectAt(pod, 'spec', 'nodeSelector'), node.metadata.labels);
  return isSelected && matchesNode(pod, node)
    ? undefined
    : "node(s) didn't match Pod's node affinity/selector";
}

const unschedulable = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export function tolerates(pod: ApiObject, taint: JsonObject): boolean {
  return (listAt(pod, 'spec', 'tolerations') as JsonObject[]).some((it) => {
    const { key = '', operator = 'Equal', value = '', effect = '' } = it;
    if (effect !== '' && effect !== taint['effect']) return false;
    if (key === '') return operator === 'Exists';
    return key === taint['key'] && (operator === 'Exists' || value === (taint['value'] ?? ''));
  });
}

function bestOf(hands: Hands, pod: ApiObject, nodes: readonly ApiObject[]): ApiObject | undefined {
  const all = hands.list('pods').filter((it) => isActive(it));
  const owner = controllerOf(pod)?.['uid'];
  const on = (node: ApiObject) =>
    all.filter((it) => textAt(it, 'spec', 'nodeName') === node.metadata.name);
  const alike = (it: ApiObject) => owner !== undefined && controllerOf(it)?.['uid'] === owner;
  const rated = nodes.map((node) => {
    const there = on(node);
    return { node, siblings: there.filter(alike).length, pods: there.length };
  });
  return rated.toSorted(
    (left, right) => left.siblings - right.siblings || left.pods - right.pods,
  )[0]?.node;
}

function bind(hands: Hands, pod: ApiObject, node: ApiObject): void {
  const { namespace = '', name = '' } = pod.metadata;
  const resource = hands.core.registry.find('', 'v1', 'pods');
  if (resource === undefined) return;
  const target = node.metadata.name ?? '';
  bindPod(hands.core, { resource, namespace, name, subresource: 'binding' }, target);
  const where = `${namespace}/${name} to ${target}`;
  hands.record(pod, ['Normal', 'Scheduled'], `Successfully assigned ${where}`);
}

function noteUnschedulable(
  hands: Hands,
  pod: ApiObject,
  obstacles: readonly (string | undefined)[],
): void {
  const message = explain(obstacles);
  const known = conditionOf(pod, 'PodScheduled');
  if (known['message'] === message) return;
  const others = (listAt(pod, 'status', 'conditions') as JsonObject[]).filter(
    ({ type }) => type !== 'PodScheduled',
  );
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    lastTransitionTime: known['lastTransitionTime'] ?? hands.timestamp,
  };
  hands.writeStatus('pods', pod, { ...pod.status, conditions: [...others, condition] });
  hands.record(pod, ['Warning', 'FailedScheduling'], message);
}

function explain(obstacles: readonly (string | undefined)[]): string {
  if (obstacles.length === 0) return 'no nodes available to schedule pods';
  const groups = Map.groupBy(obstacles, (it) => it ?? '');
  const reasons = [...groups].map(([why, those]) => `${those.length} ${why}`).sort();
  return `0/${obstacles.length} nodes are available: ${reasons.join(', ')}.`;
}
