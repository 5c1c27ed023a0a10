/** How many pods of a budget may go now. */

import { type ApiObject, timestamp } from '../api-object.ts';
import { type JsonObject, textAt, valueAt } from '../json.ts';
import { matchesSelector } from '../selectors/matches-selector.ts';
import { conditionOf } from '../tables/pod-row.ts';
import { type Controller, itself, keyOfObject } from './controller.ts';
import type { Hands } from './hands.ts';
import { controllerOf } from './owners.ts';
import { resolveShare } from './plan-rollout.ts';
import { isActive, isReady } from './pod-state.ts';

const collection = 'poddisruptionbudgets.policy';

const selects = (budget: ApiObject, pod: ApiObject) =>
  matchesSelector(valueAt(budget, 'spec', 'selector'), pod.metadata.labels);

export const disruptionController: Controller = {
  name: 'disruption-controller',
  watches: {
    [collection]: itself,
    pods: (pod, hands) =>
      hands
        .list(collection, pod.metadata.namespace)
        .filter((budget) => selects(budget, pod))
        .map(keyOfObject),
  },
  reconcile: (hands, key) => {
    const budget = hands.get(collection, key);
    if (budget === undefined) return undefined;
    const pods = hands
      .list('pods', budget.metadata.namespace)
      .filter((pod) => selects(budget, pod) && isActive(pod));
    hands.writeStatus(collection, budget, statusOf(hands, budget, pods));
    return undefined;
  },
};

function statusOf(hands: Hands, budget: ApiObject, pods: readonly ApiObject[]): JsonObject {
  const expectedPods = expected(hands, pods);
  const desiredHealthy = desired(budget, expectedPods);
  const healthy = pods.filter(isReady);
  const spare = Math.max(0, healthy.length - desiredHealthy);
  const disruptionsAllowed = expectedPods === 0 ? 0 : spare;
  return {
    observedGeneration: budget.metadata.generation ?? 0,
    disruptionsAllowed,
    currentHealthy: healthy.length,
    desiredHealthy,
    expectedPods,
    conditions: [conditionFor(hands, budget, disruptionsAllowed > 0)],
  };
}

/** As many as their controllers want, not as many as there happen to be. */
function expected(hands: Hands, pods: readonly ApiObject[]): number {
  const byOwner = Map.groupBy(pods, (pod) => String(controllerOf(pod)?.['uid'] ?? ''));
  return [...byOwner].reduce((sum, [uid, members]) => {
    const [first] = members;
    if (uid === '' || first === undefined) return sum + members.length;
    return sum + (wantedBy(hands, first) ?? members.length);
  }, 0);
}

function wantedBy(hands: Hands, pod: ApiObject): number | undefined {
  const owner = controllerOf(pod);
  if (owner?.['kind'] !== 'ReplicaSet') return undefined;
  const key = `${pod.metadata.namespace ?? ''}/${textAt(owner, 'name')}`;
  const replicas = valueAt(hands.get('replicasets.apps', key), 'spec', 'replicas');
  return typeof replicas === 'number' ? replicas : undefined;
}

function desired(budget: ApiObject, expectedPods: number): number {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (minAvailable !== undefined) return resolveShare(minAvailable, expectedPods, 'up');
  const missing = resolveShare(maxUnavailable ?? 0, expectedPods, 'up');
  return Math.max(0, expectedPods - missing);
}

function conditionFor(hands: Hands, budget: ApiObject, isAllowed: boolean): JsonObject {
  const status = isAllowed ? 'True' : 'False';
  const known = conditionOf(budget, 'DisruptionAllowed');
  const isSame = known['status'] === status;
  return {
    type: 'DisruptionAllowed',
    status,
    observedGeneration: budget.metadata.generation ?? 0,
    lastTransitionTime: (isSame ? known['lastTransitionTime'] : undefined) ?? timestamp(hands.now),
    reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  };
}
