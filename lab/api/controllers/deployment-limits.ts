import type { ApiObject } from '../api-object.ts';
import { objectAt, valueAt } from '../json.ts';
import { resolveShare } from './plan-rollout.ts';

export const deploymentCollection = 'deployments.apps';

export function replicasOf(deployment: ApiObject): number {
  return Number(valueAt(deployment, 'spec', 'replicas') ?? 0);
}

/** How many pods more, and how many fewer, there may be during a rollout. */
export function limitsOf(deployment: ApiObject): { maxSurge: number; maxUnavailable: number } {
  const rolling = objectAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const replicas = replicasOf(deployment);
  const maxSurge = resolveShare(rolling['maxSurge'], replicas, 'up');
  const maxUnavailable = resolveShare(rolling['maxUnavailable'], replicas, 'down');
  // With neither, nothing could ever move.
  const isStuck = maxSurge === 0 && maxUnavailable === 0;
  return { maxSurge, maxUnavailable: isStuck ? 1 : maxUnavailable };
}
