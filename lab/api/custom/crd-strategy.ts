import { type ApiObject, timestamp } from '../api-object.ts';
import { type FieldCause, forbiddenField, invalidValue, required } from '../field-cause.ts';
import { cloneJson, type JsonObject, listAt, objectAt, textAt, valueAt } from '../json.ts';
import type { Strategy } from '../resource.ts';
import { readCrd } from './crd.ts';
import { findSchemaProblems } from './schema-problems.ts';

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const crdStrategy: Strategy = {
  setDefaults: (crd) => {
    const names = objectAt(crd, 'spec', 'names');
    const kind = textAt(names, 'kind');
    if (kind !== '') {
      names['singular'] ??= kind.toLowerCase();
      names['listKind'] ??= `${kind}List`;
    }
    if (crd.spec !== undefined) crd.spec['conversion'] ??= { strategy: 'None' };
  },
  /** The real server takes a moment to accept the names; nothing here could object to them later. */
  prepareCreate: (crd, { now }) => establish(crd, [], timestamp(now)),
  prepareUpdate: (crd, old, { now }) =>
    establish(crd, listAt(old, 'status', 'storedVersions') as string[], timestamp(now)),
  validate: (crd, old) => [...validateCrd(crd), ...validateFixed(crd, old)],
  markDeleted: (crd) => {
    delete crd.metadata.deletionGracePeriodSeconds;
    const finalizers = crd.metadata.finalizers ?? [];
    if (!finalizers.includes(cleanupFinalizer)) {
      crd.metadata.finalizers = [...finalizers, cleanupFinalizer];
    }
  },
};

function establish(crd: ApiObject, stored: readonly string[], now: string): void {
  const storage = readCrd(crd).versions.find(({ isStored }) => isStored)?.name ?? '';
  const known = listAt(crd, 'status', 'conditions');
  crd.status = {
    conditions:
      known.length > 0 ? (cloneJson(known as JsonObject[]) as JsonObject[]) : accepted(now),
    acceptedNames: cloneJson(objectAt(crd, 'spec', 'names')),
    storedVersions: stored.includes(storage) ? [...stored] : [...stored, storage],
  };
}

function accepted(lastTransitionTime: string): JsonObject[] {
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime,
    reason,
    message,
  });
  return [
    condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
    condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
  ];
}

function validateCrd(object: ApiObject): readonly FieldCause[] {
  const crd = readCrd(object);
  const causes: FieldCause[] = [];
  const name = object.metadata.name ?? '';
  if (crd.group === '') causes.push(required('spec.group', ''));
  if (crd.plural === '') causes.push(required('spec.names.plural', ''));
  if (crd.kind === '') causes.push(required('spec.names.kind', ''));
  if (name !== `${crd.plural}.${crd.group}`) {
    const detail = 'must be spec.names.plural+"."+spec.group';
    causes.push(invalidValue('metadata.name', name, detail));
  }
  if (!['Cluster', 'Namespaced'].includes(textAt(object, 'spec', 'scope'))) {
    causes.push(required('spec.scope', ''));
  }
  if (crd.versions.filter(({ isStored }) => isStored).length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    causes.push(
      invalidValue('spec.versions', listAt(object, 'spec', 'versions') as JsonObject[], detail),
    );
  }
  return [...causes, ...crd.versions.flatMap(validateVersion)];
}

function validateVersion({ schema }: { readonly schema: JsonObject }, index: number) {
  const path = `spec.versions[${index}].schema.openAPIV3Schema`;
  if (Object.keys(schema).length === 0) return [required(path, 'schemas are required')];
  return findSchemaProblems(schema, path, true);
}

function validateFixed(crd: ApiObject, old: ApiObject | undefined): readonly FieldCause[] {
  if (old === undefined) return [];
  const dropped = (listAt(crd, 'status', 'storedVersions') as string[]).filter(
    (name) => !readCrd(crd).versions.some((version) => version.name === name),
  );
  return [
    ...['scope', 'group']
      .filter((field) => valueAt(crd, 'spec', field) !== valueAt(old, 'spec', field))
      .map((field) =>
        invalidValue(`spec.${field}`, valueAt(crd, 'spec', field), 'field is immutable'),
      ),
    ...dropped.map((name, index) =>
      forbiddenField(
        `status.storedVersions[${index}]`,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      ),
    ),
  ];
}
