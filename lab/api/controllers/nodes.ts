/** What follows from a node's state: taints that keep pods away or drive them off, and pods that no longer count as ready. */

import type { ApiObject } from '../api-object.ts';
import { cloneJson, equalJson, type JsonObject, listAt, textAt, valueAt } from '../json.ts';
import { conditionOf } from '../tables/pod-row.ts';
import { type Controller, itself } from './controller.ts';
import type { Hands } from './hands.ts';
import { isActive } from './pod-state.ts';
import { tolerates } from './scheduler.ts';

const leases = 'leases.coordination.k8s.io';
const prefix = 'node.kubernetes.io/';

/** A node whose lease was renewed once and then not for `graceMs` is lost. */
export function nodeController(graceMs: number): Controller {
  const sightings = new Map<string, Sighting>();
  return {
    name: 'node-controller',
    watches: {
      nodes: itself,
      pods: (pod) => [textAt(pod, 'spec', 'nodeName')].filter((name) => name !== ''),
      [leases]: ({ metadata: { namespace, name = '' } }) =>
        namespace === 'kube-node-lease' ? [name] : [],
    },
    reconcile: (hands, name) => {
      const node = hands.get('nodes', name);
      if (node === undefined) {
        sightings.delete(name);
        removePods(hands, name);
        return undefined;
      }
      const lostIn = watchLease(hands, node, { graceMs, sightings });
      const current = hands.get('nodes', name) ?? node;
      writeTaints(hands, current);
      markPods(hands, current);
      const evictIn = evictPods(hands, hands.get('nodes', name) ?? current);
      return earlier(lostIn, evictIn);
    },
  };
}

/** When a lease was first seen to say this, on our own clock. */
interface Sighting {
  readonly renewTime: string;
  readonly at: number;
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  const times = [one, other].filter((it) => it !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

function podsOn(hands: Hands, name: string): readonly ApiObject[] {
  return hands.list('pods').filter((pod) => textAt(pod, 'spec', 'nodeName') === name);
}

/** Nobody is left who could end them in good order. */
function removePods(hands: Hands, name: string): void {
  for (const pod of podsOn(hands, name)) hands.remove('pods', pod, { gracePeriodSeconds: 0 });
}

function watchLease(
  hands: Hands,
  node: ApiObject,
  { graceMs, sightings }: { graceMs: number; sightings: Map<string, Sighting> },
): number | undefined {
  const { name = '' } = node.metadata;
  const renewTime = textAt(hands.get(leases, `kube-node-lease/${name}`), 'spec', 'renewTime');
  if (renewTime === '') return undefined;
  const now = hands.core.clock.monotonic();
  const known = sightings.get(name);
  const seen = known?.renewTime === renewTime ? known : { renewTime, at: now };
  sightings.set(name, seen);
  if (hearNobody(sightings, now - graceMs / 2)) giveTime(sightings, now - graceMs / 2);
  const left = (sightings.get(name) ?? seen).at + graceMs - now;
  if (left > 0) return Math.min(left, graceMs / 4);
  if (conditionOf(node, 'Ready')['status'] !== 'Unknown') noteLost(hands, node);
  return undefined;
}

/** All have fallen silent: then it is they who cannot reach us. */
function hearNobody(sightings: ReadonlyMap<string, Sighting>, since: number): boolean {
  return sightings.size > 1 && [...sightings.values()].every(({ at }) => at <= since);
}

/** However long that lasts, each still has half of its time when the first of them is heard again. */
function giveTime(sightings: Map<string, Sighting>, at: number): void {
  for (const [name, { renewTime }] of sightings) sightings.set(name, { renewTime, at });
}

function noteLost(hands: Hands, node: ApiObject): void {
  const conditions = (listAt(node, 'status', 'conditions') as JsonObject[]).map((condition) => ({
    ...condition,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: hands.timestamp,
  }));
  hands.writeStatus('nodes', node, { ...node.status, conditions });
  const { name = '' } = node.metadata;
  hands.record(node, ['Normal', 'NodeNotReady'], `Node ${name} status is now: NodeNotReady`);
}

const stateTaints = ['not-ready', 'unreachable', 'unschedulable'].map((name) => prefix + name);

function writeTaints(hands: Hands, node: ApiObject): void {
  const known = listAt(node, 'spec', 'taints') as JsonObject[];
  const wanted = wantedTaints(node).map(
    (taint) =>
      known.find(({ key, effect }) => key === taint.key && effect === taint.effect) ?? {
        ...taint,
        ...(taint.effect === 'NoExecute' ? { timeAdded: hands.timestamp } : {}),
      },
  );
  const others = known.filter(({ key }) => !stateTaints.includes(String(key)));
  const taints = [...others, ...wanted.map((taint) => cloneJson(taint as JsonObject))];
  if (equalJson(taints, [...known])) return;
  hands.replace('nodes', node, (copy) => {
    copy.spec = { ...copy.spec, taints };
    if (taints.length === 0) delete copy.spec['taints'];
  });
}

function wantedTaints(node: ApiObject): readonly { key: string; effect: string }[] {
  const { status } = conditionOf(node, 'Ready');
  const isCordoned = valueAt(node, 'spec', 'unschedulable') === true;
  const cordon = isCordoned ? [{ key: `${prefix}unschedulable`, effect: 'NoSchedule' }] : [];
  if (status === 'True') return cordon;
  const key = prefix + (status === 'Unknown' ? 'unreachable' : 'not-ready');
  // A node that nobody has spoken for yet takes no pods, but loses none.
  const effects = status === undefined ? ['NoSchedule'] : ['NoSchedule', 'NoExecute'];
  return [...cordon, ...effects.map((effect) => ({ key, effect }))];
}

/** Traffic leaves a node that is not ready before its pods do. */
function markPods(hands: Hands, node: ApiObject): void {
  const { status } = conditionOf(node, 'Ready');
  if (status === 'True' || status === undefined) return;
  for (const pod of podsOn(hands, node.metadata.name ?? '')) {
    const ready = conditionOf(pod, 'Ready');
    if (ready['status'] !== 'True') continue;
    const conditions = (listAt(pod, 'status', 'conditions') as JsonObject[]).map((condition) =>
      condition['type'] === 'Ready'
        ? { ...condition, status: 'False', lastTransitionTime: hands.timestamp }
        : condition,
    );
    hands.writeStatus('pods', pod, { ...pod.status, conditions });
  }
}

/** Returns when the next pod has tolerated the state of its node for long enough. */
function evictPods(hands: Hands, node: ApiObject): number | undefined {
  const taints = (listAt(node, 'spec', 'taints') as JsonObject[]).filter(
    ({ effect }) => effect === 'NoExecute',
  );
  let next: number | undefined;
  for (const pod of taints.length === 0 ? [] : podsOn(hands, node.metadata.name ?? '')) {
    if (!isActive(pod)) continue;
    const left = Math.min(...taints.map((taint) => toleratedFor(hands, pod, taint)));
    if (left <= 0) hands.remove('pods', pod);
    else if (left !== Infinity) next = earlier(next, left);
  }
  return next;
}

function toleratedFor(hands: Hands, pod: ApiObject, taint: JsonObject): number {
  if (!tolerates(pod, taint)) return 0;
  const matching = (listAt(pod, 'spec', 'tolerations') as JsonObject[]).filter((it) =>
    tolerates({ ...pod, spec: { tolerations: [it] } }, taint),
  );
  const seconds = matching.map((it) => Number(it['tolerationSeconds'] ?? Infinity));
  const since = Date.parse(textAt(taint, 'timeAdded')) || hands.now;
  return since + Math.min(...seconds) * 1000 - hands.now;
}
