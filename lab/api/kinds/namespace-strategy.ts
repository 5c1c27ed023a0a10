import type { ApiObject } from '../api-object.ts';
import { invalidValue } from '../field-cause.ts';
import { listAt, textAt } from '../json.ts';
import type { Strategy } from '../resource.ts';
import { labelProblems } from '../selectors/name-rules.ts';

const nameLabel = 'kubernetes.io/metadata.name';
const contentFinalizer = 'kubernetes';

/** Without these nothing works, so they cannot be deleted. */
const immortal = new Set(['default', 'kube-system', 'kube-public']);

export const namespaceStrategy: Strategy = {
  validateName: labelProblems,
  setDefaults: ({ metadata }) => {
    if (metadata.name !== undefined) {
      metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
    }
  },
  prepareCreate: (namespace) => {
    const finalizers = finalizersOf(namespace);
    const isNamed = finalizers.includes(contentFinalizer);
    namespace.spec = { finalizers: isNamed ? finalizers : [...finalizers, contentFinalizer] };
    namespace.status = { phase: 'Active' };
  },
  prepareUpdate: (namespace, old) => {
    namespace.spec = { finalizers: finalizersOf(old) };
  },
  prepareFinalize: (namespace, old) => {
    if (old.status !== undefined) namespace.status = { ...old.status };
  },
  validateStatus: (namespace) => {
    const phase = textAt(namespace, 'status', 'phase');
    const isDeleted = namespace.metadata.deletionTimestamp !== undefined;
    const expected = isDeleted ? 'Terminating' : 'Active';
    if (phase === expected) return [];
    const when = isDeleted ? 'not empty' : 'empty';
    const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${when}`;
    return [invalidValue('status.Phase', phase, detail)];
  },
  refuseDelete: ({ metadata }) =>
    immortal.has(metadata.name ?? '') ? 'this namespace may not be deleted' : undefined,
  markDeleted: (namespace) => {
    delete namespace.metadata.deletionGracePeriodSeconds;
    namespace.status = { ...namespace.status, phase: 'Terminating' };
  },
  /** Until its content is gone. */
  isHeld: (namespace) => finalizersOf(namespace).length > 0,
};

export function finalizersOf(namespace: ApiObject): string[] {
  return listAt(namespace, 'spec', 'finalizers') as string[];
}
