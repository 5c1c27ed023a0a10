/** Which pool a Service gets addresses from when it does not hold any yet, and which pools it may use at all. */

import { compareTexts } from '../../model/compare-texts.ts';
import type { Labels } from '../../model/identity.ts';
import { matchesLabels } from '../../model/label-selector.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { nearest } from '../../model/nearest.ts';
import type { Pool } from '../../model/pool.ts';
import { defaultGroup } from '../../model/well-known-names.ts';
import type { AcceptedPools } from './accept-pools.ts';
import { formatNames } from './namespace-index.ts';
import { isNoObstacle, isObstacle, type Obstacle, postpone, refuse } from './obstacle.ts';

export interface PoolChoice {
  readonly pool: Pool;
  readonly via: Provenance;
  /** What the owner should know about how the pool was found. */
  readonly warning: string | undefined;
}

export type Provenance =
  | 'annotation'
  | 'selector'
  | 'namespace'
  | 'priority'
  | 'default'
  | 'default (ambiguous binding)'
  | 'addresses';

export interface Choices {
  readonly pools: AcceptedPools;
  /** Labels of every namespace that is known. */
  readonly namespaces: ReadonlyMap<string, Labels>;
}

export function choosePool(service: LoadBalancer, choices: Choices): PoolChoice | Obstacle {
  const { group } = service.request;
  if (group !== undefined) return named(service, group, 'annotation', choices);
  return (
    chooseBySelector(service, choices) ??
    chooseByNamespace(service, choices) ??
    chooseUnbound(service, choices)
  );
}

/** The pool of that name if the Service may have its addresses. */
export function findPool(
  service: LoadBalancer,
  name: string,
  { pools, namespaces }: Choices,
): Pool | Obstacle {
  const pool = pools.byName.get(name);
  const waitsFor = [{ kind: 'group' as const, name }];
  if (pool === undefined) {
    const why = pools.unusable.get(name);
    return why === undefined
      ? refuse('unknown_pool', describeUnknown(name, pools), { waitsFor })
      : refuse('no_usable_pool', `no usable pool: ServiceGroup "${name}" ${why}`, { waitsFor });
  }
  if (pool.identity.isDeleting) return refuseDeleted(pool);
  const fence = findFence(service.identity.namespace, pool, pools);
  if (fence !== undefined) {
    return refuse('namespace_denied', `namespace denied: ${fence}`, { pool: name, waitsFor });
  }
  return findUnselected(service, pool, namespaces) ?? pool;
}

/** Services keep what they have from a group that is being deleted; nobody gets more of it. */
export function refuseDeleted({ name }: Pool): Obstacle {
  const message = `no usable pool: ServiceGroup "${name}" is being deleted`;
  return refuse('no_usable_pool', message, { waitsFor: [{ kind: 'group', name }] });
}

function describeUnknown(name: string, { byName }: AcceptedPools): string {
  const meant = nearest(name, byName.keys());
  const advice = meant === undefined ? 'no ServiceGroup has that name' : `did you mean "${meant}"?`;
  return `unknown pool "${name}": ${advice}`;
}

function named(
  service: LoadBalancer,
  name: string,
  via: Provenance,
  choices: Choices,
  warning?: string,
): PoolChoice | Obstacle {
  const pool = findPool(service, name, choices);
  return isObstacle(pool) ? pool : { pool, via, warning };
}

/** Enforcement belongs to the namespace and works both ways: its Services stay inside, others stay out. */
function findFence(namespace: string, pool: Pool, pools: AcceptedPools): string | undefined {
  const { bindings, confined } = pools.namespaces;
  const serves = pool.scope.namespaces.length === 0 || pool.scope.namespaces.includes(namespace);
  if (confined.has(pool.name) && !serves) {
    return `ServiceGroup "${pool.name}" serves a confined namespace and does not serve "${namespace}"`;
  }
  const binding = bindings.get(namespace);
  if (binding?.isEnforced !== true || binding.eligible.includes(pool.name)) return undefined;
  const allowed = formatNames(binding.eligible);
  return `namespace "${namespace}" may only use ${allowed}, not ServiceGroup "${pool.name}"`;
}

function findUnselected(
  { key, labels, identity }: LoadBalancer,
  { name, scope }: Pool,
  namespaces: ReadonlyMap<string, Labels>,
): Obstacle | undefined {
  const { serviceSelector, namespaceSelector } = scope;
  if (serviceSelector !== undefined && !matchesLabels(serviceSelector, labels)) {
    const message = `ServiceGroup "${name}" does not select "${key}": the Service's labels do not match its serviceSelector`;
    return refuse('not_selected', message, { pool: name, waitsFor: [{ kind: 'group', name }] });
  }
  if (namespaceSelector === undefined) return undefined;
  const wait = { kind: 'namespace' as const, name: identity.namespace };
  const namespaceLabels = namespaces.get(identity.namespace);
  if (namespaceLabels === undefined) {
    return postpone(
      `the labels of namespace "${identity.namespace}" are not known yet`,
      name,
      wait,
    );
  }
  if (matchesLabels(namespaceSelector, namespaceLabels)) return undefined;
  const message = `ServiceGroup "${name}" does not select "${key}": the labels of namespace "${identity.namespace}" do not match its namespaceSelector`;
  return refuse('not_selected', message, {
    pool: name,
    waitsFor: [wait, { kind: 'group', name }],
  });
}

/** Among the groups that select the Service: the most particular, then the highest priority, then the oldest. */
function chooseBySelector(
  service: LoadBalancer,
  choices: Choices,
): PoolChoice | Obstacle | undefined {
  const { namespace } = service.identity;
  const found = choices.pools.selective
    .filter(({ scope }) => scope.namespaces.length === 0 || scope.namespaces.includes(namespace))
    .map((pool) => findPool(service, pool.name, choices));
  const unknown = found.filter(isObstacle).find(({ kind }) => kind === 'pending');
  if (unknown !== undefined) return unknown;
  const [pool] = found.filter(isNoObstacle).sort(comparePreference);
  return pool === undefined ? undefined : { pool, via: 'selector', warning: undefined };
}

export function comparePreference(left: Pool, right: Pool): number {
  return (
    particularity(right) - particularity(left) ||
    right.scope.priority - left.scope.priority ||
    left.identity.createdAt - right.identity.createdAt ||
    compareTexts(left.name, right.name)
  );
}

function particularity({ scope }: Pool): number {
  const criteria = [scope.serviceSelector, scope.namespaceSelector, scope.namespaces[0]];
  return criteria.filter((criterion) => criterion !== undefined).length;
}

function chooseByNamespace(
  service: LoadBalancer,
  choices: Choices,
): PoolChoice | Obstacle | undefined {
  const binding = choices.pools.namespaces.bindings.get(service.identity.namespace);
  if (binding === undefined) return undefined;
  if ('group' in binding.choice) return named(service, binding.choice.group, 'namespace', choices);
  const { ambiguity } = binding.choice;
  if (binding.isEnforced) {
    const waitsFor = binding.eligible.map((name) => ({ kind: 'group' as const, name }));
    const message = `ambiguous namespace default: ${ambiguity}`;
    return refuse('ambiguous_namespace_default', message, { waitsFor });
  }
  const warning = `${ambiguity}; allocated from "${defaultGroup}" instead`;
  return named(service, defaultGroup, 'default (ambiguous binding)', choices, warning);
}

/** The group called `default`, unless another that is open to all has been given a higher priority. */
function chooseUnbound(service: LoadBalancer, choices: Choices): PoolChoice | Obstacle {
  const { pools } = choices;
  const usual = pools.byName.get(defaultGroup);
  const [preferred] = pools.preferred
    .filter((pool) => !isObstacle(findPool(service, pool.name, choices)))
    .sort(comparePreference);
  if (preferred !== undefined) return { pool: preferred, via: 'priority', warning: undefined };
  if (usual !== undefined && !usual.scope.autoAssigns) {
    const message = `ServiceGroup "${defaultGroup}" sets autoAssign: false: name a group by annotation purelb.io/service-group`;
    return refuse('not_selected', message, {
      pool: defaultGroup,
      waitsFor: [{ kind: 'group', name: defaultGroup }],
    });
  }
  return named(service, defaultGroup, 'default', choices);
}
