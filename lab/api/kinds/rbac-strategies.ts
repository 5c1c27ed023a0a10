/** Roles and bindings. */

import type { ApiObject } from '../api-object.ts';
import { type FieldCause, invalidValue, notSupported, required } from '../field-cause.ts';
import { equalJson, type Json, type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import type { Strategy } from '../resource.ts';
import { pathSegmentProblems } from '../selectors/name-rules.ts';

const group = 'rbac.authorization.k8s.io';

export function roleStrategy(isNamespaced: boolean): Strategy {
  return {
    validateName: pathSegmentProblems,
    validate: (role) =>
      listAt(role, 'rules').flatMap((rule, index) => validateRule(rule, index, isNamespaced)),
  };
}

function validateRule(rule: Json, index: number, isNamespaced: boolean): readonly FieldCause[] {
  const path = `rules[${index}]`;
  const urls = listAt(rule, 'nonResourceURLs');
  const need = (field: string) =>
    listAt(rule, field).length > 0
      ? []
      : [required(`${path}.${field}`, `${field} must contain at least one value`)];
  if (urls.length > 0 && isNamespaced) {
    const detail = 'namespaced rules cannot apply to non-resource URLs';
    return [...need('verbs'), invalidValue(`${path}.nonResourceURLs`, [...urls], detail)];
  }
  if (urls.length > 0) return need('verbs');
  return [...need('verbs'), ...resourceNeeds(rule, path)];
}

function resourceNeeds(rule: Json, path: string): readonly FieldCause[] {
  return [
    ...(listAt(rule, 'apiGroups').length > 0
      ? []
      : [required(`${path}.apiGroups`, 'resource rules must supply at least one api group')]),
    ...(listAt(rule, 'resources').length > 0
      ? []
      : [required(`${path}.resources`, 'resource rules must supply at least one resource')]),
  ];
}

export const bindingStrategy: Strategy = {
  validateName: pathSegmentProblems,
  setDefaults: (binding) => {
    const roleRef = objectAt(binding, 'roleRef');
    if (textAt(roleRef, 'apiGroup') === '') roleRef['apiGroup'] = group;
    for (const subject of listAt(binding, 'subjects') as JsonObject[]) {
      const isPerson = subject['kind'] === 'User' || subject['kind'] === 'Group';
      if (isPerson) subject['apiGroup'] ??= group;
    }
  },
  validate: (binding, old) => [
    ...(old === undefined || equalJson(binding['roleRef'], old['roleRef'])
      ? []
      : [invalidValue('roleRef', binding['roleRef'], 'cannot change roleRef')]),
    ...validateRoleRef(binding),
  ],
};

function validateRoleRef(binding: ApiObject): readonly FieldCause[] {
  const { kind, name } = objectAt(binding, 'roleRef');
  const kinds = binding.kind === 'ClusterRoleBinding' ? ['ClusterRole'] : ['Role', 'ClusterRole'];
  return [
    ...(kinds.includes(String(kind))
      ? []
      : [notSupported('roleRef.kind', kind, [...kinds].sort())]),
    ...(name === undefined || name === '' ? [required('roleRef.name', '')] : []),
  ];
}
