/** `eviction`: deletes a pod, unless a disruption budget needs it. */

import { ApiError, badRequest, internalError, notFound } from '../api-error.ts';
import { type ApiObject, timestamp } from '../api-object.ts';
import { jsonResponse } from '../api-request.ts';
import { cloneJson, objectAt, textAt, valueAt } from '../json.ts';
import type { ResourceRequest } from '../resource-handler.ts';
import { type Core, findStored } from '../rest/core.ts';
import { mediaType, parseBody } from '../rest/decode-body.ts';
import { readDeleteOptions, removeObject } from '../rest/remove.ts';
import { matchesSelector } from '../selectors/matches-selector.ts';
import { conditionOf } from '../tables/pod-row.ts';
import type { Subresource } from './subresource.ts';

export const eviction: Subresource = {
  name: 'eviction',
  kind: 'Eviction',
  group: 'policy',
  version: 'v1',
  verbs: ['create'],
  handle: ({ core }, call) => {
    evict(core, call);
    return jsonResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, ...succeeded });
  },
};

const succeeded = { status: 'Success', code: 201 };

function evict(core: Core, { request, scope, query }: ResourceRequest): void {
  const body = parseBody(request.body, mediaType(request.headers['content-type']));
  const named = textAt(body, 'metadata', 'name');
  if (named !== '' && named !== scope.name)
    throw badRequest('name in URL does not match name in Eviction object');
  const pod = findStored(core, scope);
  if (pod === undefined) throw notFound(scope.resource, scope.name);
  const options = readDeleteOptions(query, objectAt(body, 'deleteOptions'));
  if (isProtected(pod)) spendBudget(core, pod, options.isDryRun);
  removeObject(core, { ...scope, subresource: '' }, options);
}

/** A pod that does not work, or is going anyway, is nobody's loss. */
function isProtected(pod: ApiObject): boolean {
  const isWorking = !['Succeeded', 'Failed', 'Pending'].includes(textAt(pod, 'status', 'phase'));
  return isWorking && pod.metadata.deletionTimestamp === undefined;
}

const collection = 'poddisruptionbudgets.policy';

function spendBudget(core: Core, pod: ApiObject, isDryRun: boolean): void {
  const { namespace = '', name = '', labels } = pod.metadata;
  const budgets = [...core.store.collection(collection).entries({ prefix: `${namespace}/` })]
    .map(([, budget]) => budget)
    .filter((budget) => matchesSelector(valueAt(budget, 'spec', 'selector'), labels));
  if (budgets.length > 1) {
    throw internalError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (budget === undefined || isUnhealthyAllowed(budget, pod)) return;
  const isCurrent =
    Number(valueAt(budget, 'status', 'observedGeneration') ?? 0) >=
    Number(budget.metadata.generation ?? 0);
  if (!isCurrent)
    throw refused(
      `The disruption budget ${String(budget.metadata.name)} is still being processed by the server.`,
      10,
    );
  const allowed = Number(valueAt(budget, 'status', 'disruptionsAllowed') ?? 0);
  if (allowed <= 0) throw refused(whyNot(budget), 0);
  if (isDryRun) return;
  const next = cloneJson(budget);
  const disruptedPods = {
    ...objectAt(next, 'status', 'disruptedPods'),
    [name]: timestamp(core.clock.now()),
  };
  next.status = { ...next.status, disruptionsAllowed: allowed - 1, disruptedPods };
  core.store.put(collection, `${namespace}/${String(budget.metadata.name)}`, next);
}

/** A pod that is not ready does not count as healthy: with enough others it may go. */
function isUnhealthyAllowed(budget: ApiObject, pod: ApiObject): boolean {
  if (conditionOf(pod, 'Ready')['status'] === 'True') return false;
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const healthy = Number(valueAt(budget, 'status', 'currentHealthy') ?? 0);
  const desired = Number(valueAt(budget, 'status', 'desiredHealthy') ?? 0);
  return desired > 0 && healthy >= desired;
}

function whyNot(budget: ApiObject): string {
  const { desiredHealthy = 0, currentHealthy = 0 } = budget.status ?? {};
  return `The disruption budget ${String(budget.metadata.name)} needs ${String(desiredHealthy)} healthy pods and has ${String(currentHealthy)} currently`;
}

function refused(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: 'DisruptionBudget', message }],
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  });
}
