/** Which ServiceGroups count: those of the install namespace, unless that would leave none. */

import { isProblem } from '../../model/parsed.ts';
import type { Group } from '../../model/read-group.ts';

export interface ScopeFinding {
  /** Group → what to tell its owner. */
  readonly outOfScope: ReadonlyMap<Group, string>;
  /** Two mistakes must not switch off a whole cluster: a namespace that is not known, or that holds no group. */
  readonly scope: 'installNamespace' | 'installNamespaceUnknown' | 'installNamespaceSuspect';
}

export function findOutOfScope(groups: readonly Group[], installNamespace: string): ScopeFinding {
  if (installNamespace === '') return { outOfScope: new Map(), scope: 'installNamespaceUnknown' };
  const outside = groups.filter(({ identity }) => identity.namespace !== installNamespace);
  if (outside.length > 0 && outside.length === groups.length) {
    return { outOfScope: new Map(), scope: 'installNamespaceSuspect' };
  }
  return {
    outOfScope: new Map(outside.map((group) => [group, describe(group, installNamespace)])),
    scope: 'installNamespace',
  };
}

export type GroupKind = 'local' | 'remote' | 'netbox' | 'external' | 'unknown';

export function kindOfGroup({ pool }: Group): GroupKind {
  if (isProblem(pool)) return 'unknown';
  const { source, announce } = pool.value;
  if (source.kind !== 'cluster') return source.kind;
  return announce === 'remote' ? 'remote' : 'local';
}

function describe(group: Group, installNamespace: string): string {
  const { namespace, name } = group.identity;
  const kind = kindOfGroup(group);
  const impact =
    kind === 'remote'
      ? 'addresses allocated from it are withdrawn from every node'
      : 'its pool is not allocatable';
  const move =
    `kubectl get servicegroup ${name} -n ${namespace} -o yaml | ` +
    `sed -e '/^  resourceVersion:/d' -e 's/^  namespace: .*/  namespace: ${installNamespace}/' | kubectl create -f -`;
  return `this ${kind} group is ignored because it is not in namespace "${installNamespace}": ${impact}; copy it there: ${move}`;
}
