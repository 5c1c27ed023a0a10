/** Policies of admission, and the bindings that put them in force. */

import { unsupportedMatch } from '../admission/matches-rules.ts';
import type { ApiObject } from '../api-object.ts';
import { type FieldCause, forbiddenField } from '../field-cause.ts';
import { isJsonObject, type Json, listAt, objectAt, valueAt } from '../json.ts';
import type { Strategy } from '../resource.ts';

export const admissionPolicyStrategy: Strategy = {
  setDefaults: (policy) => {
    policy.spec ??= {};
    policy.spec['failurePolicy'] ??= 'Fail';
    setMatchDefaults(valueAt(policy.spec, 'matchConstraints'));
  },
  validate: (policy) => [
    ...refuseSelectors(policy, 'matchConstraints'),
    ...(valueAt(policy, 'spec', 'paramKind') === undefined
      ? []
      : [forbiddenField('spec.paramKind', unsupported)]),
  ],
};

export const admissionBindingStrategy: Strategy = {
  setDefaults: (binding) => setMatchDefaults(valueAt(binding, 'spec', 'matchResources')),
  validate: (binding) => refuseSelectors(binding, 'matchResources'),
};

const unsupported = 'the embedded API server does not carry this out';

function refuseSelectors(object: ApiObject, field: string): readonly FieldCause[] {
  const found = unsupportedMatch(valueAt(object, 'spec', field));
  return found === undefined ? [] : [forbiddenField(`spec.${field}.${found}`, unsupported)];
}

function setMatchDefaults(match: Json | undefined): void {
  if (!isJsonObject(match)) return;
  match['matchPolicy'] ??= 'Equivalent';
  match['namespaceSelector'] ??= {};
  match['objectSelector'] ??= {};
  for (const name of ['resourceRules', 'excludeResourceRules']) {
    for (const rule of listAt(match, name)) objectAt(rule)['scope'] ??= '*';
  }
}
