/** ServiceGroups → the pools in force. A group that is refused says why, and takes nothing from anyone. */

import { poolsOf } from '../../model/allocation-record.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import { type Identity, keyOf } from '../../model/identity.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { isProblem, type Problem } from '../../model/parsed.ts';
import type { Pool, PoolRange } from '../../model/pool.ts';
import { rangeContains } from '../../model/range.ts';
import type { Group } from '../../model/read-group.ts';
import type { GroupReason } from '../../model/reasons.ts';
import type { GroupRecords } from '../../model/recorded-subnet.ts';
import { defaultGroup } from '../../model/well-known-names.ts';
import { findOutOfScope, type ScopeFinding } from './group-scope.ts';
import {
  indexNamespaces,
  isSelective,
  type NamespaceIndex,
  takesUnasked,
} from './namespace-index.ts';
import { RangeMap } from './range-map.ts';
import { recordsOf } from './records-of.ts';

export interface AcceptedPools {
  /** One for each group, by namespace and name. */
  readonly verdicts: readonly GroupVerdict[];
  readonly pools: readonly Pool[];
  readonly byName: ReadonlyMap<string, Pool>;
  /** Those that select by labels, and take Services which do not name them. */
  readonly selective: readonly Pool[];
  /** Those open to all that were given a higher priority than the group `default`. */
  readonly preferred: readonly Pool[];
  /** Groups that exist but cannot be used: name → why. */
  readonly unusable: ReadonlyMap<string, string>;
  readonly namespaces: NamespaceIndex;
  /** Of all groups of the install namespace, in force or not. */
  readonly recorded: GroupRecords;
  /** Whether groups outside the install namespace had to be let in, and why. */
  readonly scope: ScopeFinding['scope'];
  /** Some groups want the same name or addresses: which of them win depends on what Services hold. */
  readonly isContested: boolean;
}

export type GroupVerdict =
  | { readonly group: Group; readonly pool: Pool }
  | { readonly group: Group; readonly refusal: GroupRefusal };

export interface GroupRefusal {
  readonly reason: GroupReason;
  readonly message: string;
}

export interface GroupsInPlay {
  readonly groups: readonly Group[];
  /** What they hold decides which groups are in use. */
  readonly services: readonly LoadBalancer[];
  /** Empty when it is not known. */
  readonly installNamespace: string;
}

export function acceptPools(input: GroupsInPlay): AcceptedPools {
  const { outOfScope, scope } = findOutOfScope(input.groups, input.installNamespace);
  const byAge = input.groups.toSorted(({ identity: left }, { identity: right }) =>
    compareAge(left, right),
  );
  const first = judgeAll(byAge, outOfScope);
  // Who is in use matters only where two want the same, and takes a look at every Service to find out.
  const isContested = first.verdicts.some(isBeaten);
  const { verdicts, byName } = isContested ? judgeAll(rank(byAge, input), outOfScope) : first;
  const pools = [...byName.values()].sort((left, right) =>
    compareAge(left.identity, right.identity),
  );
  return {
    verdicts: verdicts.toSorted((left, right) => byKey(left.group.identity, right.group.identity)),
    pools,
    byName,
    selective: pools.filter((pool) => pool.scope.autoAssigns && isSelective(pool.scope)),
    preferred: findPreferred(byName),
    unusable: findUnusable(verdicts),
    namespaces: indexNamespaces(pools),
    recorded: recordsOf(input.groups.filter((group) => !outOfScope.has(group))),
    scope,
    isContested,
  };
}

/** Earlier ones win. */
function judgeAll(groups: readonly Group[], outOfScope: ReadonlyMap<Group, string>) {
  const accepted = new Acceptance();
  const verdicts = groups.map((group): GroupVerdict => {
    const message = outOfScope.get(group);
    if (message === undefined) return accepted.judge(group);
    return { group, refusal: { reason: 'OutsideInstallNamespace', message } };
  });
  return { verdicts, byName: accepted.byName };
}

function isBeaten(verdict: GroupVerdict): boolean {
  if (!('refusal' in verdict)) return false;
  const { reason } = verdict.refusal;
  return reason === 'DuplicateName' || reason === 'OverlapsOther';
}

class Acceptance {
  readonly byName = new Map<string, Pool>();
  readonly #owners = new RangeMap<string>();

  judge(group: Group): GroupVerdict {
    if (isProblem(group.pool)) {
      const message = `Failed to parse: ${describe(group.pool.problems)}`;
      return { group, refusal: { reason: 'ParseFailed', message } };
    }
    const pool = group.pool.value;
    const refusal = this.#findRefusal(pool);
    if (refusal !== undefined) return { group, refusal };
    this.byName.set(pool.name, pool);
    for (const { range } of rangesOf(pool)) this.#owners.add(range, pool.name);
    return { group, pool };
  }

  #findRefusal(pool: Pool): GroupRefusal | undefined {
    if (this.byName.has(pool.name)) {
      return { reason: 'DuplicateName', message: `Duplicate definition of pool ${pool.name}` };
    }
    const owners = rangesOf(pool).flatMap(({ range }) => this.#owners.overlapping(range));
    const [owner] = owners.sort(compareTexts);
    if (owner === undefined) return undefined;
    const message = `Pool overlaps with already defined pool "${owner}"`;
    return { reason: 'OverlapsOther', message };
  }
}

function findPreferred(byName: ReadonlyMap<string, Pool>): readonly Pool[] {
  const usual = byName.get(defaultGroup)?.scope.priority ?? 0;
  return [...byName.values()].filter(
    (pool) =>
      pool.scope.priority > usual && pool.scope.namespaces.length === 0 && takesUnasked(pool),
  );
}

export function rangesOf({ source }: Pool): readonly PoolRange[] {
  return source.kind === 'cluster' ? source.ranges : [];
}

/**
 * Whoever is in use as it stands keeps its ranges against one that was edited to overlap it, and both against one that
 * is not in use; otherwise the oldest wins.
 */
function rank(byAge: readonly Group[], input: GroupsInPlay): readonly Group[] {
  const inUse = findGroupsInUse(input);
  const rankOf = (group: Group) => {
    if (!inUse.has(group)) return 2;
    return wasAcceptedAsItStands(group) ? 0 : 1;
  };
  return byAge.toSorted((left, right) => rankOf(left) - rankOf(right));
}

function compareAge(left: Identity, right: Identity): number {
  return left.createdAt - right.createdAt || byKey(left, right);
}

function wasAcceptedAsItStands({ identity, status }: Group): boolean {
  return status.conditions.some(
    ({ type, status: state, observedGeneration }) =>
      type === 'Ready' && state === 'True' && observedGeneration === identity.generation,
  );
}

/** Groups whose addresses some Service of ours holds, and says it has from them. */
function findGroupsInUse({ groups, services }: GroupsInPlay): ReadonlySet<Group> {
  const byName = Map.groupBy(groups, ({ identity, pool }) =>
    isProblem(pool) ? identity.name : pool.value.name,
  );
  const inUse = new Set<Group>();
  for (const { grant } of services) {
    if (!grant.isOurs) continue;
    for (const group of poolsOf(grant).flatMap((name) => byName.get(name) ?? [])) {
      if (!inUse.has(group) && holdsAnyOf(grant.ingress, group)) inUse.add(group);
    }
  }
  return inUse;
}

function holdsAnyOf(ingress: LoadBalancer['grant']['ingress'], { pool }: Group): boolean {
  if (isProblem(pool)) return false;
  return rangesOf(pool.value).some(({ range }) => ingress.some((ip) => rangeContains(range, ip)));
}

function findUnusable(verdicts: readonly GroupVerdict[]): ReadonlyMap<string, string> {
  const unusable = new Map<string, string>();
  for (const verdict of verdicts) {
    if (!('refusal' in verdict)) continue;
    const { group, refusal } = verdict;
    const name = isProblem(group.pool) ? group.identity.name : group.pool.value.name;
    if (!unusable.has(name)) unusable.set(name, describeUnusable(group, refusal));
  }
  return unusable;
}

function describeUnusable({ identity }: Group, { reason, message }: GroupRefusal): string {
  if (reason === 'ParseFailed') return 'failed to parse';
  if (reason === 'OutsideInstallNamespace') return `is in namespace "${identity.namespace}"`;
  return `was refused: ${message}`;
}

const mostProblems = 8;

function describe(problems: readonly Problem[]): string {
  const shown = problems.slice(0, mostProblems).map(({ path, message }) => `${path}: ${message}`);
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function byKey(left: Identity, right: Identity): number {
  return compareTexts(keyOf(left), keyOf(right));
}
