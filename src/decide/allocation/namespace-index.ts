/** Which groups each namespace may use, and which it uses unasked: from the lists of namespaces that groups give. */

import type { Pool } from '../../model/pool.ts';

export interface NamespaceIndex {
  /** Of namespaces that some group lists. */
  readonly bindings: ReadonlyMap<string, NamespaceBinding>;
  /** Names of groups that serve a namespace which is kept to its groups: others keep out of them. */
  readonly confined: ReadonlySet<string>;
}

export interface NamespaceBinding {
  /** Names of the groups that list the namespace, sorted. */
  readonly eligible: readonly string[];
  /** One of its groups enforces: the namespace may use no other group. */
  readonly isEnforced: boolean;
  /** The group for Services that name none; where there is none, why. */
  readonly choice: { readonly group: string } | { readonly ambiguity: string };
}

export function indexNamespaces(pools: readonly Pool[]): NamespaceIndex {
  const poolsOf = new Map<string, Pool[]>();
  for (const pool of pools) {
    // A namespace that is listed twice is no ambiguity.
    for (const namespace of new Set(pool.scope.namespaces)) {
      poolsOf.set(namespace, [...(poolsOf.get(namespace) ?? []), pool]);
    }
  }
  const bindings = new Map(
    [...poolsOf].map(([namespace, own]) => [namespace, bind(namespace, own)]),
  );
  const enforced = [...bindings.values()].filter(({ isEnforced }) => isEnforced);
  return { bindings, confined: new Set(enforced.flatMap(({ eligible }) => eligible)) };
}

function bind(namespace: string, pools: readonly Pool[]): NamespaceBinding {
  return {
    eligible: namesOf(pools),
    isEnforced: pools.some(({ scope }) => scope.isEnforced),
    choice: chooseDefault(namespace, pools),
  };
}

/** The only one, else the only one that is marked, else the one with the highest priority. */
function chooseDefault(namespace: string, pools: readonly Pool[]): NamespaceBinding['choice'] {
  const open = pools.filter(takesUnasked);
  const marked = open.filter(({ scope }) => scope.isNamespaceDefault);
  const candidates = marked.length > 0 ? marked : open;
  const [first, second] = candidates.toSorted(
    (left, right) => right.scope.priority - left.scope.priority,
  );
  if (first === undefined) {
    const list = formatNames(namesOf(pools));
    const ambiguity = `namespace "${namespace}" is served by ${list}, which all must be asked for by name`;
    return { ambiguity };
  }
  if (second === undefined || second.scope.priority < first.scope.priority) {
    return { group: first.name };
  }
  const list = formatNames(namesOf(candidates));
  const ambiguity =
    marked.length > 0
      ? `namespace "${namespace}": ${list} all set namespaceDefault; exactly one must`
      : `namespace "${namespace}" is served by ${list} and none sets namespaceDefault; exactly one must`;
  return { ambiguity };
}

/** Gives addresses to Services that neither name it nor are selected by it. */
export function takesUnasked({ scope }: Pool): boolean {
  return scope.autoAssigns && !isSelective(scope);
}

export function isSelective({ serviceSelector, namespaceSelector }: Pool['scope']): boolean {
  return serviceSelector !== undefined || namespaceSelector !== undefined;
}

/** As upstream prints lists: `[a b]`. */
export function formatNames(names: readonly string[]): string {
  return `[${names.join(' ')}]`;
}

function namesOf(pools: readonly Pool[]): readonly string[] {
  return pools.map(({ name }) => name).sort();
}
