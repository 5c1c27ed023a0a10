/** Role-based access control: what the roles bound to a user allow. */

import type { ApiObject } from '../api-object.ts';
import { type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import type { Store } from '../store/store.ts';
import type { Attributes } from './attributes.ts';
import type { User } from './authenticator.ts';

const group = 'rbac.authorization.k8s.io';
const collections = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(
  (plural) => `${plural}.${group}`,
);

/** Rules that hold in one namespace, or everywhere when that is empty. */
interface Grant {
  readonly namespace: string;
  readonly rules: readonly JsonObject[];
}

interface Grants {
  readonly grants: readonly Grant[];
  /** Bindings to roles that are not there. */
  readonly problems: readonly string[];
}

export interface Verdict {
  readonly isAllowed: boolean;
  readonly reason: string;
}

const all = ['*'];

/** Of somebody who may do everything. */
export const allRules: readonly JsonObject[] = [
  { apiGroups: all, resources: all, verbs: all },
  { nonResourceURLs: all, verbs: all },
];

export class Rbac {
  readonly #store: Store;
  readonly #known = new Map<string, Grants>();

  constructor(store: Store) {
    this.#store = store;
    for (const name of collections) {
      store.collection(name).subscribe(() => this.#known.clear());
    }
  }

  judge(user: User, attributes: Attributes): Verdict {
    if (user.groups.includes('system:masters')) return { isAllowed: true, reason: '' };
    const { grants, problems } = this.#grantsOf(user);
    const isAllowed = grants.some(
      ({ namespace, rules }) =>
        isInScope(namespace, attributes) && rules.some((rule) => covers(rule, attributes)),
    );
    return { isAllowed, reason: problems.length === 0 ? '' : `RBAC: ${renderProblems(problems)}` };
  }

  /** Everything that the user may do in the namespace. */
  rules(user: User, namespace: string): readonly JsonObject[] {
    if (user.groups.includes('system:masters')) return allRules;
    return this.#grantsOf(user)
      .grants.filter((grant) => grant.namespace === '' || grant.namespace === namespace)
      .flatMap((grant) => grant.rules);
  }

  #grantsOf(user: User): Grants {
    const key = JSON.stringify([user.name, user.groups]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const bindings = [
      ...this.#all(`clusterrolebindings.${group}`),
      ...this.#all(`rolebindings.${group}`),
    ].filter((binding) => isBound(binding, user));
    const found = bindings.map((binding) => this.#grantOf(binding));
    const grants = {
      grants: found.filter((grant) => typeof grant !== 'string'),
      problems: found.filter((grant) => typeof grant === 'string'),
    };
    this.#known.set(key, grants);
    return grants;
  }

  #all(collection: string): readonly ApiObject[] {
    return [...this.#store.collection(collection).entries()].map(([, object]) => object);
  }

  /** What a binding gives, or the name of the role that it misses. */
  #grantOf(binding: ApiObject): Grant | string {
    const { namespace = '' } = binding.metadata;
    const { kind, name } = objectAt(binding, 'roleRef');
    const isCluster = kind === 'ClusterRole';
    const role = isCluster
      ? this.#store.collection(`clusterroles.${group}`).get(String(name))
      : this.#store.collection(`roles.${group}`).get(`${namespace}/${String(name)}`);
    if (role !== undefined) return { namespace, rules: listAt(role, 'rules') as JsonObject[] };
    return `${isCluster ? 'clusterrole' : 'role'}.${group} "${String(name)}" not found`;
  }
}

function renderProblems(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
}

function isBound(binding: ApiObject, { name, groups }: User): boolean {
  return listAt(binding, 'subjects').some((subject) => {
    const [kind, who] = [textAt(subject, 'kind'), textAt(subject, 'name')];
    if (kind === 'Group') return groups.includes(who);
    if (kind === 'User') return name === who;
    const namespace = textAt(subject, 'namespace') || (binding.metadata.namespace ?? '');
    return kind === 'ServiceAccount' && name === `system:serviceaccount:${namespace}:${who}`;
  });
}

/** A role in a namespace says nothing about anything outside it. */
function isInScope(namespace: string, attributes: Attributes): boolean {
  return namespace === '' || ('namespace' in attributes && attributes.namespace === namespace);
}

function covers(rule: JsonObject, attributes: Attributes): boolean {
  const verbs = listAt(rule, 'verbs') as string[];
  if (!verbs.includes('*') && !verbs.includes(attributes.verb)) return false;
  if ('path' in attributes) {
    return (listAt(rule, 'nonResourceURLs') as string[]).some((url) =>
      url.endsWith('*') ? attributes.path.startsWith(url.slice(0, -1)) : attributes.path === url,
    );
  }
  const groups = listAt(rule, 'apiGroups') as string[];
  const names = listAt(rule, 'resourceNames') as string[];
  return (
    (groups.includes('*') || groups.includes(attributes.group)) &&
    coversResource(listAt(rule, 'resources') as string[], attributes.resource) &&
    (names.length === 0 || names.includes(attributes.name))
  );
}

function coversResource(resources: readonly string[], resource: string): boolean {
  const [, subresource] = resource.split('/');
  return resources.some(
    (pattern) =>
      pattern === '*' ||
      pattern === resource ||
      (subresource !== undefined && pattern === `*/${subresource}`),
  );
}
