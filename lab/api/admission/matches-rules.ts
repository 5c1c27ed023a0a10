/** Whether a policy or a binding speaks of a request at all. */

import { type Json, listAt, textAt, valueAt } from '../json.ts';
import type { Scope } from '../rest/core.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** `match` is a `matchConstraints` or `matchResources`; without one everything matches. */
export function matchesRules(match: Json | undefined, operation: Operation, scope: Scope): boolean {
  const rules = listAt(match, 'resourceRules');
  const isExcluded = listAt(match, 'excludeResourceRules').some((rule) =>
    matchesRule(rule, operation, scope),
  );
  if (isExcluded) return false;
  return rules.length === 0 || rules.some((rule) => matchesRule(rule, operation, scope));
}

function matchesRule(rule: Json, operation: Operation, scope: Scope): boolean {
  const { resource, subresource, name } = scope;
  const names = listAt(rule, 'resourceNames');
  const plurals = listAt(rule, 'resources').map(String);
  return (
    has(rule, 'apiGroups', resource.group) &&
    has(rule, 'apiVersions', resource.version) &&
    has(rule, 'operations', operation) &&
    plurals.some((plural) => matchesResource(plural, resource.plural, subresource)) &&
    (names.length === 0 || names.includes(name)) &&
    matchesScope(textAt(rule, 'scope'), resource.isNamespaced)
  );
}

function has(rule: Json, field: string, value: string): boolean {
  const values = listAt(rule, field);
  return values.includes('*') || values.includes(value);
}

/** `services`, `services/status`, `services/*`, `*` or `*` with a subresource. */
function matchesResource(rule: string, plural: string, subresource: string): boolean {
  const [wanted = '', part = ''] = rule.split('/');
  const isPart = part === '*' || part === subresource;
  return (wanted === '*' || wanted === plural) && isPart;
}

function matchesScope(scope: string, isNamespaced: boolean): boolean {
  if (scope === 'Namespaced') return isNamespaced;
  return scope !== 'Cluster' || !isNamespaced;
}

/** Selectors of namespaces and objects, and parameters, are not carried out here. */
export function unsupportedMatch(match: Json | undefined): string | undefined {
  const isEmpty = (field: string) =>
    Object.keys((valueAt(match, field) ?? {}) as object).length === 0;
  return ['namespaceSelector', 'objectSelector'].find((field) => !isEmpty(field));
}
