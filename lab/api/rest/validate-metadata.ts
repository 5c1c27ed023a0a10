import type { ApiObject } from '../api-object.ts';
import { type FieldCause, forbiddenField, invalidValue, required } from '../field-cause.ts';
import { equalJson, type JsonObject, textAt } from '../json.ts';
import type { Resource } from '../resource.ts';
import {
  annotationsProblems,
  labelsProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '../selectors/name-rules.ts';

export function validateMetadata(object: ApiObject, resource: Resource): readonly FieldCause[] {
  const { metadata } = object;
  return [
    ...validateName(object, resource),
    ...labelsProblems(metadata.labels ?? {}, 'metadata.labels'),
    ...annotationsProblems(metadata.annotations ?? {}, 'metadata.annotations'),
    ...validateOwners(metadata.ownerReferences ?? []),
    ...validateFinalizers(metadata.finalizers ?? [], resource.isCustom),
  ];
}

function validateName({ metadata }: ApiObject, resource: Resource): readonly FieldCause[] {
  const check = resource.strategy.validateName ?? subdomainProblems;
  const { name, generateName } = metadata;
  const generated =
    generateName === undefined
      ? []
      : // What follows the base is random, so a base may end in a hyphen.
        check(`${generateName.replace(/-$/, 'a')}`).map((problem) =>
          invalidValue('metadata.generateName', generateName, problem),
        );
  if (name === undefined) {
    return [...generated, required('metadata.name', 'name or generateName is required')];
  }
  return [
    ...generated,
    ...check(name).map((problem) => invalidValue('metadata.name', name, problem)),
  ];
}

function validateOwners(owners: readonly JsonObject[]): readonly FieldCause[] {
  const controllers = owners.filter((owner) => owner['controller'] === true);
  const path = 'metadata.ownerReferences';
  return [
    ...owners.flatMap((owner) =>
      ['apiVersion', 'kind', 'name', 'uid']
        .filter((field) => textAt(owner, field) === '')
        .map((field) => {
          const what = field === 'apiVersion' ? 'version ' : '';
          return invalidValue(`${path}.${field}`, '', `${what}must not be empty`);
        }),
    ),
    ...(controllers.length > 1
      ? [
          invalidValue(
            path,
            owners as JsonObject[],
            `Only one reference can have Controller set to true. Found "true" in references for ${textAt(controllers[0], 'name')} and ${textAt(controllers[1], 'name')}`,
          ),
        ]
      : []),
  ];
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function validateFinalizers(finalizers: readonly string[], isCustom: boolean) {
  const isLoose = (name: string) => !name.includes('/') && !standardFinalizers.has(name);
  return finalizers.flatMap((name, index) => [
    ...qualifiedNameProblems(name).map((problem) =>
      invalidValue('metadata.finalizers', name, problem),
    ),
    ...(isLoose(name) && !isCustom
      ? [
          invalidValue(
            `metadata.finalizers[${index}]`,
            name,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ]
      : []),
  ]);
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** What may not change while the object lives. */
export function validateMetadataUpdate(object: ApiObject, old: ApiObject): readonly FieldCause[] {
  const immutable = immutableFields.filter(
    (field) => !equalJson(object.metadata[field], old.metadata[field]),
  );
  return [
    ...immutable.map((field) =>
      invalidValue(`metadata.${field}`, object.metadata[field], 'field is immutable'),
    ),
    ...validateFinalizersOfDeleted(object, old),
  ];
}

function validateFinalizersOfDeleted(object: ApiObject, old: ApiObject): readonly FieldCause[] {
  if (old.metadata.deletionTimestamp === undefined) return [];
  const had = new Set(old.metadata.finalizers ?? []);
  const added = (object.metadata.finalizers ?? []).filter((name) => !had.has(name));
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(', ');
  return [
    forbiddenField(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}
