/** What is written about a ServiceGroup: its status as a whole, for server-side apply, and Events about what is new. */

import { keyOf } from '../../model/identity.ts';
import type { Family } from '../../model/ip.ts';
import type { KubeObject } from '../../model/kube-object.ts';
import type { Pool, QuarantinedAddress } from '../../model/pool.ts';
import { formatPrefix } from '../../model/prefix.ts';
import { formatRange } from '../../model/range.ts';
import { conditionTypes } from '../../model/reasons.ts';
import type { RecordedSubnet } from '../../model/recorded-subnet.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import type { GroupVerdict } from './accept-pools.ts';
import type { AllocationPlan, PlannedEvent, PoolOutcome } from './allocation-plan.ts';
import { sourceName } from './fill-from-source.ts';
import { freeConflictEvents, groupConditions, groupEvents } from './group-conditions.ts';
import { mergeConditions } from './merge-conditions.ts';
import type { DeletionWait } from './plan-finalizers.ts';
import { isSameJson } from './same-json.ts';

export interface GroupWrite {
  /** Undefined when the status says all of it already. */
  readonly body: GroupStatusBody | undefined;
  readonly events: readonly PlannedEvent[];
}

export interface GroupOutcome {
  readonly outcome: PoolOutcome | undefined;
  readonly wait?: DeletionWait | undefined;
}

/** What a plan says of one group. */
export function outcomeOf(verdict: GroupVerdict, { pools, finalizers }: PlanParts): GroupOutcome {
  const pool = 'pool' in verdict ? verdict.pool : undefined;
  const outcome = pool && pools.find((each) => each.pool === pool);
  const finalizer = finalizers.get(keyOf(verdict.group.identity));
  return finalizer?.kind === 'wait' ? { outcome, wait: finalizer } : { outcome };
}

type PlanParts = Pick<AllocationPlan, 'pools' | 'finalizers'>;

export interface GroupStatusBody {
  readonly apiVersion: 'purelb.io/v2';
  readonly kind: 'ServiceGroup';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status: Readonly<Record<string, unknown>>;
}

/** `outcome`: of a group that is in force. `wait`: of a group that is being deleted. */
export function planGroupStatus(
  object: KubeObject,
  verdict: GroupVerdict,
  { outcome, wait }: GroupOutcome,
  now: number,
): GroupWrite {
  const { identity, status: before } = verdict.group;
  const present = fieldsOf(object.status);
  const news = { report: outcome?.report, wait };
  const wanted = groupConditions(verdict, news);
  const merged = mergeConditions(present.conditions, wanted, conditionTypes.ServiceGroup, now);
  const status: StatusFields = {
    ...describePool(outcome),
    observedGeneration: identity.generation,
    conditions: merged ?? present.conditions,
    ...describeQuarantine(outcome?.quarantine ?? before.quarantine),
    ...describeSubnets(outcome?.subnets ?? before.subnets),
  };
  const isSame = managedFields.every((name) => isSameJson(status[name], present[name]));
  return {
    body: isSame
      ? undefined
      : {
          apiVersion: 'purelb.io/v2',
          kind: 'ServiceGroup',
          metadata: { name: identity.name, namespace: identity.namespace },
          status,
        },
    events: [...groupEvents(verdict, news), ...freeConflictEvents(verdict, outcome?.quarantine)],
  };
}

const managedFields = [
  'announce',
  'ipam',
  'addresses',
  'allocatedIPv4',
  'allocatedIPv6',
  'availableIPv4',
  'availableIPv6',
  'boundNamespaces',
  'observedGeneration',
  'conditions',
  'quarantine',
  'subnets',
] as const;

type StatusFields = Partial<Record<(typeof managedFields)[number], unknown>>;

function describePool(outcome: PoolOutcome | undefined): StatusFields {
  if (outcome === undefined) return {};
  const { pool, allocated, available, report } = outcome;
  const { namespaces } = pool.scope;
  return {
    announce: `${pool.announce.charAt(0).toUpperCase()}${pool.announce.slice(1)}`,
    ipam: sourceName(pool),
    addresses: listAddresses(pool, report),
    allocatedIPv4: allocated.ipv4,
    allocatedIPv6: allocated.ipv6,
    ...describeAvailable(available),
    ...(namespaces.length > 0 ? { boundNamespaces: namespaces } : {}),
  };
}

/** As the user wrote them. */
function listAddresses({ source }: Pool, report: PoolOutcome['report']): readonly string[] {
  switch (source.kind) {
    case 'cluster':
      return source.ranges.map(({ text }) => text);
    case 'netbox':
      return [...source.prefixes.map(formatPrefix), ...source.ranges.map(formatRange)];
    case 'external':
      return report?.stats?.addresses ?? [];
    default:
      return source satisfies never;
  }
}

function describeAvailable(available: PoolOutcome['available']): StatusFields {
  if (available === undefined) return {};
  const clamp = (family: Family) => Math.min(Number(available[family]), most);
  return { availableIPv4: clamp('ipv4'), availableIPv6: clamp('ipv6') };
}

/** The largest number that is both exact here and an int64 there. */
const most = 2 ** 63 - 1024;

function describeQuarantine(entries: readonly QuarantinedAddress[]): StatusFields {
  if (entries.length === 0) return {};
  return {
    quarantine: entries.map(({ ip, until, reason, mac, node, service }) => ({
      address: ip,
      until: formatTimestamp(until),
      reason,
      ...(mac === undefined ? {} : { mac }),
      ...(node === undefined ? {} : { node }),
      ...(service === undefined ? {} : { service }),
    })),
  };
}

function describeSubnets(subnets: readonly RecordedSubnet[]): StatusFields {
  if (subnets.length === 0) return {};
  return {
    subnets: subnets.map(({ subnet, prefixLength }) => ({
      subnet: formatPrefix(subnet),
      prefixLength,
    })),
  };
}

function fieldsOf(value: unknown): StatusFields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
