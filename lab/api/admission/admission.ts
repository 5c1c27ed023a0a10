/** ValidatingAdmissionPolicies and their bindings: what is said about a write that a role allows. */

import { ApiError, detailsOf, forbidden } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import type { Attributes } from '../auth/attributes.ts';
import { describeExtra, type User } from '../auth/authenticator.ts';
import { type JsonObject, listAt, objectAt, textAt, valueAt } from '../json.ts';
import type { Scope } from '../rest/core.ts';
import type { Store } from '../store/store.ts';
import { evaluatePolicy, type Objection, type PolicyInput } from './evaluate-policy.ts';
import { matchesRules, type Operation } from './matches-rules.ts';

export interface Attempt {
  readonly operation: Operation;
  readonly scope: Scope;
  /** Absent in a deletion. */
  readonly object?: ApiObject;
  /** Absent in a creation. */
  readonly old?: ApiObject;
  readonly isDryRun: boolean;
}

/** Throws where the write is refused; warnings are collected. */
export type Admit = (attempt: Attempt, warnings: string[]) => void;

type Judge = (user: User, attributes: Attributes) => { readonly isAllowed: boolean };

const group = 'admissionregistration.k8s.io';
const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

export class Admission {
  readonly #store: Store;
  readonly #judge: Judge;

  constructor(store: Store, judge: Judge) {
    this.#store = store;
    this.#judge = judge;
  }

  admitter(user: User): Admit {
    return (attempt, warnings) => this.#admit(user, attempt, warnings);
  }

  #admit(user: User, attempt: Attempt, warnings: string[]): void {
    const { operation, scope } = attempt;
    // Nobody locks themselves out of changing policies.
    if (scope.resource.group === group) return;
    const bindings = this.#store.collection(`validatingadmissionpolicybindings.${group}`);
    for (const [, binding] of bindings.entries({ prefix: '' })) {
      const policyName = textAt(binding, 'spec', 'policyName');
      const policies = this.#store.collection(`validatingadmissionpolicies.${group}`);
      const spec = objectAt(policies.get(policyName), 'spec');
      const match = valueAt(binding, 'spec', 'matchResources');
      const isAbout =
        listAt(spec, 'validations').length > 0 &&
        matchesRules(valueAt(spec, 'matchConstraints'), operation, scope) &&
        matchesRules(match, operation, scope);
      const input = isAbout ? this.#input(user, attempt) : undefined;
      const objection = input && evaluatePolicy(spec, input);
      if (objection !== undefined) act(binding, objection, scope, warnings);
    }
  }

  #input(user: User, attempt: Attempt): PolicyInput {
    const { object = null, old = null } = attempt;
    const mayDo: PolicyInput['mayDo'] = (right) => this.#judge(user, right).isAllowed;
    return { request: describeRequest(user, attempt), object, oldObject: old, mayDo };
  }
}

function describeRequest(user: User, { operation, scope, isDryRun }: Attempt): JsonObject {
  const { name: username, groups } = user;
  const { resource, subresource, namespace, name } = scope;
  const { group: apiGroup, version, kind, plural } = resource;
  return {
    kind: { group: apiGroup, version, kind },
    resource: { group: apiGroup, version, resource: plural },
    ...(subresource === '' ? {} : { subResource: subresource }),
    ...(namespace === '' ? {} : { namespace }),
    name,
    operation,
    userInfo: { username, groups: [...groups], extra: describeExtra(user) },
    dryRun: isDryRun,
  };
}

function act(
  binding: ApiObject,
  { message, reason }: Objection,
  { resource, name }: Scope,
  warnings: string[],
): void {
  const actions = listAt(binding, 'spec', 'validationActions');
  const policy = textAt(binding, 'spec', 'policyName');
  const names = `ValidatingAdmissionPolicy '${policy}' with binding '${binding.metadata.name}'`;
  if (actions.includes('Warn')) warnings.push(`Validation failed for ${names}: ${message}`);
  if (!actions.includes('Deny')) return;
  const why = `${names} denied request: ${message}`;
  throw new ApiError({
    code: codes[reason] ?? 422,
    reason,
    message: forbidden(resource, name, why).message,
    details: { ...detailsOf(resource, name), causes: [{ message: why }] },
  });
}
