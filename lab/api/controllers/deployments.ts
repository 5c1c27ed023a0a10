/** A Deployment is a line of ReplicaSets, one per template; the newest one takes over from the others bit by bit. */

import type { ApiObject } from '../api-object.ts';
import { equalJson, type JsonObject, objectAt, textAt, valueAt } from '../json.ts';
import { type Controller, itself } from './controller.ts';
import { deploymentCollection, limitsOf, replicasOf } from './deployment-limits.ts';
import { writeDeploymentStatus } from './deployment-status.ts';
import type { Hands } from './hands.ts';
import { adopters, ownedBy, ownerKeys, referenceTo } from './owners.ts';
import { planRollout, type Rollout, type RolloutSet } from './plan-rollout.ts';
import { replicaSetCollection } from './replica-sets.ts';
import { templateHash } from './template-hash.ts';

const hashLabel = 'pod-template-hash';
const revisionNote = 'deployment.kubernetes.io/revision';

export const deploymentController: Controller = {
  name: 'deployment-controller',
  watches: {
    [deploymentCollection]: itself,
    [replicaSetCollection]: (set, hands) => [
      ...ownerKeys(set, 'Deployment'),
      ...adopters(hands, deploymentCollection, set),
    ],
  },
  reconcile: (hands, key) => {
    const deployment = hands.get(deploymentCollection, key);
    if (deployment === undefined) return undefined;
    if (deployment.metadata.deletionTimestamp === undefined) roll(hands, deployment);
    const sets = setsOf(hands, deployment);
    return writeDeploymentStatus(hands, hands.get(deploymentCollection, key) ?? deployment, {
      sets,
      current: sets.find((set) => hasTemplate(set, deployment)),
    });
  },
};

/** Oldest revision first. */
function setsOf(hands: Hands, deployment: ApiObject): readonly ApiObject[] {
  return ownedBy(hands, replicaSetCollection, deployment).toSorted(
    (left, right) => revisionOf(left) - revisionOf(right),
  );
}

function revisionOf({ metadata }: ApiObject): number {
  return Number(metadata.annotations?.[revisionNote] ?? 0);
}

function hasTemplate(set: ApiObject, deployment: ApiObject): boolean {
  const { metadata, ...rest } = objectAt(set, 'spec', 'template');
  const labels = { ...objectAt(metadata, 'labels') };
  delete labels[hashLabel];
  const bare = { ...rest, metadata: { ...objectAt(metadata), labels } };
  return equalJson(bare, valueAt(deployment, 'spec', 'template'));
}

function roll(hands: Hands, deployment: ApiObject): void {
  const isPaused = valueAt(deployment, 'spec', 'paused') === true;
  const sets = setsOf(hands, deployment);
  const known = sets.find((set) => hasTemplate(set, deployment));
  if (known === undefined && isPaused) return;
  const current = known ?? createSet(hands, deployment, sets);
  const old = sets.filter((set) => set !== known);
  noteRevision(hands, deployment, current, old);
  const isIdle = old.every((set) => wantedOf(set) === 0 && existingOf(set) === 0);
  if (isIdle) resize(hands, deployment, current, replicasOf(deployment));
  else if (!isPaused) {
    const plan = planRollout(rolloutOf(deployment, current, old));
    for (const set of [current, ...old]) {
      resize(hands, deployment, set, plan.get(set.metadata.name ?? '') ?? wantedOf(set));
    }
  }
  forgetOld(hands, deployment, old);
}

const wantedOf = (set: ApiObject) => Number(valueAt(set, 'spec', 'replicas') ?? 0);
const existingOf = (set: ApiObject) => Number(valueAt(set, 'status', 'replicas') ?? 0);

function rolloutOf(deployment: ApiObject, current: ApiObject, old: readonly ApiObject[]): Rollout {
  const strategy = objectAt(deployment, 'spec', 'strategy');
  return {
    replicas: replicasOf(deployment),
    isRecreated: strategy['type'] === 'Recreate',
    ...limitsOf(deployment),
    current: describeSet(current),
    old: old.map(describeSet),
  };
}

function describeSet(set: ApiObject): RolloutSet {
  return {
    name: set.metadata.name ?? '',
    wanted: wantedOf(set),
    available: Number(valueAt(set, 'status', 'availableReplicas') ?? 0),
    existing: existingOf(set),
  };
}

function createSet(hands: Hands, deployment: ApiObject, sets: readonly ApiObject[]): ApiObject {
  const { namespace = '', name = '' } = deployment.metadata;
  const template = objectAt(deployment, 'spec', 'template');
  const hash = templateHash(template);
  const labels = { ...objectAt(template, 'metadata', 'labels'), [hashLabel]: hash };
  const selector = objectAt(deployment, 'spec', 'selector');
  const matchLabels = { ...objectAt(selector, 'matchLabels'), [hashLabel]: hash };
  const minReady = valueAt(deployment, 'spec', 'minReadySeconds');
  const revision = Math.max(0, ...sets.map(revisionOf)) + 1;
  return hands.create(replicaSetCollection, namespace, {
    metadata: {
      name: `${name}-${hash}`,
      labels,
      annotations: { ...notesOf(deployment), [revisionNote]: String(revision) },
      ownerReferences: [referenceTo(deployment)],
    },
    spec: {
      replicas: 0,
      ...(minReady === undefined ? {} : { minReadySeconds: minReady }),
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...objectAt(template, 'metadata'), labels } },
    },
  } as JsonObject);
}

/** Why a Deployment was changed is kept with what it was changed to. */
function notesOf({ metadata }: ApiObject): Record<string, string> {
  const cause = metadata.annotations?.['kubernetes.io/change-cause'];
  return cause === undefined ? {} : { 'kubernetes.io/change-cause': cause };
}

/** A template that comes back is a new revision. */
function noteRevision(
  hands: Hands,
  deployment: ApiObject,
  current: ApiObject,
  old: readonly ApiObject[],
): void {
  const newest = Math.max(0, ...old.map(revisionOf));
  const revision = Math.max(revisionOf(current), newest + 1);
  const note = { [revisionNote]: String(revision) };
  for (const [collection, object] of [
    [replicaSetCollection, current],
    [deploymentCollection, deployment],
  ] as const) {
    if (revisionOf(object) === revision) continue;
    hands.replace(collection, object, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, ...note };
    });
  }
}

function resize(hands: Hands, deployment: ApiObject, set: ApiObject, replicas: number): void {
  const before = wantedOf(set);
  if (before === replicas) return;
  hands.replace(replicaSetCollection, set, (copy) => {
    copy.spec = { ...copy.spec, replicas };
  });
  const direction = replicas > before ? 'up' : 'down';
  hands.record(
    deployment,
    ['Normal', 'ScalingReplicaSet'],
    `Scaled ${direction} replica set ${textAt(set, 'metadata', 'name')} from ${before} to ${replicas}`,
  );
}

function forgetOld(hands: Hands, deployment: ApiObject, old: readonly ApiObject[]): void {
  const limit = Number(valueAt(deployment, 'spec', 'revisionHistoryLimit') ?? 10);
  const idle = old.filter((set) => wantedOf(set) === 0 && existingOf(set) === 0);
  for (const set of idle.slice(0, Math.max(0, idle.length - limit))) {
    hands.remove(replicaSetCollection, set);
  }
}
