import type { ApiObject } from '../api-object.ts';
import { type FieldCause, forbiddenField, required } from '../field-cause.ts';
import { equalJson, type JsonObject, listAt, textAt, valueAt } from '../json.ts';
import type { Strategy } from '../resource.ts';
import { setPodSpecDefaults } from './pod-defaults.ts';

export const podStrategy: Strategy = {
  setDefaults: (pod) => {
    pod.spec ??= {};
    setPodSpecDefaults(pod.spec, false);
    pod.spec['enableServiceLinks'] ??= true;
  },
  prepareCreate: (pod) => {
    pod.status = { phase: 'Pending', qosClass: 'BestEffort' };
    const spec = pod.spec ?? {};
    spec['priority'] ??= 0;
    spec['preemptionPolicy'] ??= 'PreemptLowerPriority';
    const tolerations = listAt(spec, 'tolerations') as JsonObject[];
    spec['tolerations'] = [...tolerations, ...usualTolerations(tolerations)];
  },
  validate: (pod, old) => [
    ...validateContainers(pod.spec ?? {}, 'spec'),
    ...(old === undefined ? [] : validatePodUpdate(pod, old)),
  ],
  /** A pod that runs on a node gets time to end; its kubelet, or whoever plays it, ends the deletion. */
  gracePeriodSeconds: (pod, requested) => {
    const isOver = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
    if (isOver || textAt(pod, 'spec', 'nodeName') === '') return 0;
    const own = valueAt(pod, 'spec', 'terminationGracePeriodSeconds');
    return requested ?? (typeof own === 'number' ? own : 30);
  },
  /** Wishes count in a pod's generation only when the specification changes or the pod is to go. */
  prepareStatus: (pod, old) => {
    if (old.metadata.ownerReferences !== undefined) {
      pod.metadata.ownerReferences = old.metadata.ownerReferences;
    }
  },
};

/** A node may be away for five minutes before its pods are replaced. */
function usualTolerations(given: readonly JsonObject[]): readonly JsonObject[] {
  return ['not-ready', 'unreachable']
    .map((name) => `node.kubernetes.io/${name}`)
    .filter((name) => !given.some(({ key, effect }) => key === name && effect !== 'NoSchedule'))
    .map((key) => ({ effect: 'NoExecute', key, operator: 'Exists', tolerationSeconds: 300 }));
}

export function validateContainers(spec: JsonObject, path: string): readonly FieldCause[] {
  const containers = listAt(spec, 'containers');
  if (containers.length === 0) return [required(`${path}.containers`, '')];
  return containers.flatMap((container, index) =>
    ['name', 'image']
      .filter((field) => textAt(container, field) === '')
      .map((field) => required(`${path}.containers[${index}].${field}`, '')),
  );
}

const changeable = new Set([
  'containers',
  'initContainers',
  'tolerations',
  'activeDeadlineSeconds',
]);

function validatePodUpdate(pod: ApiObject, old: ApiObject): readonly FieldCause[] {
  const [now, before] = [pod.spec ?? {}, old.spec ?? {}];
  const fields = new Set([...Object.keys(now), ...Object.keys(before)]);
  const isFixed = [...fields].every(
    (field) => changeable.has(field) || equalJson(now[field], before[field]),
  );
  if (isFixed) return [];
  const detail =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  return [forbiddenField('spec', detail)];
}
