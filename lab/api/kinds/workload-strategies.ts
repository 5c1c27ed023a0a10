/** Deployments, DaemonSets, ReplicaSets and StatefulSets: kept, not run; whoever plays their controller writes status. */

import type { ApiObject } from '../api-object.ts';
import { type FieldCause, invalidValue, required } from '../field-cause.ts';
import { equalJson, isJsonObject, type JsonObject, objectAt, valueAt } from '../json.ts';
import type { Strategy } from '../resource.ts';
import { setPodSpecDefaults } from './pod-defaults.ts';
import { validateContainers } from './pod-strategy.ts';

function workload(setDefaults: (spec: JsonObject) => void): Strategy {
  return {
    setDefaults: (object) => {
      object.spec ??= {};
      setDefaults(object.spec);
      const template = valueAt(object, 'spec', 'template', 'spec');
      if (isJsonObject(template)) setPodSpecDefaults(template, true);
    },
    validate: validateWorkload,
  };
}

function validateWorkload(object: ApiObject, old: ApiObject | undefined): readonly FieldCause[] {
  const selector = valueAt(object, 'spec', 'selector');
  const labels = objectAt(object, 'spec', 'template', 'metadata', 'labels');
  const wanted = Object.entries(objectAt(selector ?? {}, 'matchLabels'));
  const isMatched = isJsonObject(selector) && wanted.every(([key, value]) => labels[key] === value);
  const isChanged = old !== undefined && !equalJson(selector, valueAt(old, 'spec', 'selector'));
  const detail = '`selector` does not match template `labels`';
  return [
    ...(isJsonObject(selector) ? [] : [required('spec.selector', '')]),
    ...(isMatched ? [] : [invalidValue('spec.template.metadata.labels', labels, detail)]),
    ...(isChanged ? [invalidValue('spec.selector', selector, 'field is immutable')] : []),
    ...validateContainers(objectAt(object, 'spec', 'template', 'spec'), 'spec.template.spec'),
  ];
}

export const deploymentStrategy = workload((spec) => {
  spec['replicas'] ??= 1;
  spec['revisionHistoryLimit'] ??= 10;
  spec['progressDeadlineSeconds'] ??= 600;
  const strategy = objectAt(spec, 'strategy');
  strategy['type'] ??= 'RollingUpdate';
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = objectAt(strategy, 'rollingUpdate');
    strategy['rollingUpdate'] = { maxUnavailable: '25%', maxSurge: '25%', ...rolling };
  }
  spec['strategy'] = strategy;
});

export const replicaSetStrategy = workload((spec) => {
  spec['replicas'] ??= 1;
});

export const statefulSetStrategy = workload((spec) => {
  spec['replicas'] ??= 1;
  spec['revisionHistoryLimit'] ??= 10;
  spec['podManagementPolicy'] ??= 'OrderedReady';
  const strategy = objectAt(spec, 'updateStrategy');
  strategy['type'] ??= 'RollingUpdate';
  if (strategy['type'] === 'RollingUpdate') strategy['rollingUpdate'] ??= { partition: 0 };
  spec['updateStrategy'] = strategy;
});

const templateGeneration = 'deprecated.daemonset.template.generation';

const plainDaemonSet = workload((spec) => {
  spec['revisionHistoryLimit'] ??= 10;
  const strategy = objectAt(spec, 'updateStrategy');
  strategy['type'] ??= 'RollingUpdate';
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = objectAt(strategy, 'rollingUpdate');
    strategy['rollingUpdate'] = { maxUnavailable: 1, maxSurge: 0, ...rolling };
  }
  spec['updateStrategy'] = strategy;
});

export const daemonSetStrategy: Strategy = {
  ...plainDaemonSet,
  setDefaults: (daemonSet) => {
    plainDaemonSet.setDefaults?.(daemonSet);
    if (daemonSet.metadata.annotations?.[templateGeneration] === undefined) {
      noteTemplate(daemonSet, 0);
    }
  },
  prepareCreate: (daemonSet) => noteTemplate(daemonSet, 1),
  prepareUpdate: (daemonSet, old) => {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
    const isSame = equalJson(
      valueAt(daemonSet, 'spec', 'template'),
      valueAt(old, 'spec', 'template'),
    );
    noteTemplate(daemonSet, isSame ? before : before + 1);
  },
};

function noteTemplate({ metadata }: ApiObject, generation: number): void {
  metadata.annotations = {
    ...metadata.annotations,
    [templateGeneration]: String(generation),
  };
}
