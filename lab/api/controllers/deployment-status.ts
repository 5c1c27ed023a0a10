/** What a Deployment says about itself; `kubectl rollout status` reads nothing else. */

import type { ApiObject } from '../api-object.ts';
import { cloneJson, type JsonObject, valueAt } from '../json.ts';
import { conditionOf } from '../tables/pod-row.ts';
import { deploymentCollection, limitsOf } from './deployment-limits.ts';
import type { Hands } from './hands.ts';
import { counted } from './replica-sets.ts';

export interface DeploymentSets {
  readonly sets: readonly ApiObject[];
  readonly current: ApiObject | undefined;
}

/** Milliseconds until the rollout counts as stuck, while it is not complete. */
export function writeDeploymentStatus(
  hands: Hands,
  deployment: ApiObject,
  { sets, current }: DeploymentSets,
): number | undefined {
  const total = (field: string) => sets.reduce((sum, set) => sum + count(set, field), 0);
  const counts = {
    replicas: total('replicas'),
    updatedReplicas: current === undefined ? 0 : count(current, 'replicas'),
    readyReplicas: total('readyReplicas'),
    availableReplicas: total('availableReplicas'),
  };
  const unavailableReplicas = Math.max(0, wantedIn(sets) - counts.availableReplicas);
  const available = availability(deployment, counts.availableReplicas);
  const progress = progressOf(hands, deployment, { counts, current });
  hands.writeStatus(deploymentCollection, deployment, {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...counted({ ...counts, unavailableReplicas }),
    conditions: [
      condition(hands, deployment, available),
      condition(hands, deployment, progress.condition, hasMoved(deployment, counts)),
    ],
  });
  return progress.stuckInMs;
}

type Counts = Readonly<
  Record<'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas', number>
>;

interface Said {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function count(set: ApiObject, field: string): number {
  return Number(valueAt(set, 'status', field) ?? 0);
}

function wantedIn(sets: readonly ApiObject[]): number {
  return sets.reduce((sum, set) => sum + Number(valueAt(set, 'spec', 'replicas') ?? 0), 0);
}

/** Times move only when something changes. */
function condition(hands: Hands, deployment: ApiObject, said: Said, isRenewed = false): JsonObject {
  const known = conditionOf(deployment, said.type);
  const isSame = known['status'] === said.status && known['reason'] === said.reason;
  if (isSame && !isRenewed && known['message'] === said.message) return cloneJson(known);
  const { timestamp } = hands;
  const lastTransitionTime =
    known['status'] === said.status ? (known['lastTransitionTime'] ?? timestamp) : timestamp;
  return { ...said, lastUpdateTime: timestamp, lastTransitionTime };
}

function availability(deployment: ApiObject, available: number): Said {
  const replicas = Number(valueAt(deployment, 'spec', 'replicas') ?? 0);
  const isEnough = available >= replicas - limitsOf(deployment).maxUnavailable;
  return isEnough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

interface Progress {
  readonly condition: Said;
  readonly stuckInMs: number | undefined;
}

function progressOf(
  hands: Hands,
  deployment: ApiObject,
  { counts, current }: { readonly counts: Counts; readonly current: ApiObject | undefined },
): Progress {
  const name = current?.metadata.name ?? '';
  const said = (status: string, reason: string, what: string): Said => ({
    type: 'Progressing',
    status,
    reason,
    message: `ReplicaSet "${name}" ${what}`,
  });
  if (isComplete(deployment, counts)) {
    const done = said('True', 'NewReplicaSetAvailable', 'has successfully progressed.');
    return { condition: done, stuckInMs: undefined };
  }
  const left = deadlineIn(hands, deployment, counts);
  if (left <= 0) {
    const stuck = said('False', 'ProgressDeadlineExceeded', 'has timed out progressing.');
    return { condition: stuck, stuckInMs: undefined };
  }
  return { condition: said('True', 'ReplicaSetUpdated', 'is progressing.'), stuckInMs: left };
}

function isComplete(deployment: ApiObject, counts: Counts): boolean {
  const replicas = Number(valueAt(deployment, 'spec', 'replicas') ?? 0);
  const { updatedReplicas, availableReplicas } = counts;
  return [counts.replicas, updatedReplicas, availableReplicas].every((it) => it === replicas);
}

/** A step forward, or a new wish: the time of the rollout starts anew. */
function hasMoved(deployment: ApiObject, counts: Counts): boolean {
  const isNew = deployment.status?.['observedGeneration'] !== deployment.metadata.generation;
  const fields = Object.keys(counts) as (keyof Counts)[];
  return isNew || fields.some((it) => Number(deployment.status?.[it] ?? 0) !== counts[it]);
}

function deadlineIn(hands: Hands, deployment: ApiObject, counts: Counts): number {
  const seconds = Number(valueAt(deployment, 'spec', 'progressDeadlineSeconds') ?? 600);
  const { reason, lastUpdateTime } = conditionOf(deployment, 'Progressing');
  const since = Date.parse(String(lastUpdateTime));
  const isFresh = hasMoved(deployment, counts) || reason === 'NewReplicaSetAvailable';
  if (isFresh || Number.isNaN(since)) return seconds * 1000;
  return reason === 'ProgressDeadlineExceeded' ? 0 : since + seconds * 1000 - hands.now;
}
