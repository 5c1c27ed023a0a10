/** Policies of admission, and the bindings that put them in force. */

import { isJsonObject, type Json, listAt, objectAt, valueAt } from '../json.ts';
import type { Strategy } from '../resource.ts';

export const admissionPolicyStrategy: Strategy = {
  setDefaults: (policy) => {
    policy.spec ??= {};
    policy.spec['failurePolicy'] ??= 'Fail';
    setMatchDefaults(valueAt(policy.spec, 'matchConstraints'));
  },
};

export const admissionBindingStrategy: Strategy = {
  setDefaults: (binding) => setMatchDefaults(valueAt(binding, 'spec', 'matchResources')),
};

function setMatchDefaults(match: Json | undefined): void {
  if (!isJsonObject(match)) return;
  match['matchPolicy'] ??= 'Equivalent';
  match['namespaceSelector'] ??= {};
  match['objectSelector'] ??= {};
  for (const name of ['resourceRules', 'excludeResourceRules']) {
    for (const rule of listAt(match, name)) objectAt(rule)['scope'] ??= '*';
  }
}
