/**
 * Which ServiceGroups carry the finalizer `purelb.io/release-records`. Only the spec of a group says where its records
 * are, so a group that is deleted must stay until its source has all of them back. Services keep their addresses
 * meanwhile: records in use are never released, the group waits for the Services.
 */

import { keyOf } from '../../model/identity.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { isProblem } from '../../model/parsed.ts';
import type { Pool } from '../../model/pool.ts';
import type { Group } from '../../model/read-group.ts';
import type { GroupReason } from '../../model/reasons.ts';
import { recordsFinalizer } from '../../model/well-known-names.ts';
import type { GroupVerdict } from './accept-pools.ts';
import type { PlannedEvent } from './allocation-plan.ts';
import type { AllocationState, SourceReport } from './allocation-state.ts';
import { sourceName } from './fill-from-source.ts';
import { holdsFromPool, usesPool } from './pool-users.ts';

export type FinalizerPlan =
  | { readonly kind: 'add' }
  | { readonly kind: 'remove'; readonly events: readonly PlannedEvent[] }
  /** The group is being deleted: what it waits for. */
  | DeletionWait;

export interface DeletionWait {
  readonly kind: 'wait';
  readonly reason: GroupReason;
  readonly message: string;
}

type Facts = Pick<AllocationState, 'services' | 'sources' | 'pools'>;

/** By the group's key; groups that stay as they are have no entry. */
export function planFinalizers(facts: Facts): ReadonlyMap<string, FinalizerPlan> {
  const plans = new Map<string, FinalizerPlan>();
  for (const verdict of facts.pools.verdicts) {
    const plan = planFinalizer(verdict, facts);
    if (plan !== undefined) plans.set(keyOf(verdict.group.identity), plan);
  }
  return plans;
}

function planFinalizer(verdict: GroupVerdict, facts: Facts): FinalizerPlan | undefined {
  const { group } = verdict;
  const { isDeleting } = group.identity;
  if (!group.hasFinalizer) return isDeleting ? undefined : planAddition(verdict, facts);
  if (isProblem(group.pool)) return isDeleting ? unreadable : undefined;
  const pool = group.pool.value;
  if (pool.source.kind === 'cluster') return leaveRecords(group, 'its addresses come from ranges');
  if (!isDeleting) return undefined;
  if ('refusal' in verdict) return leaveRecords(group, verdict.refusal.message);
  return planRemoval(pool, facts);
}

/** A record may be there already, made by a version of PureLB without the finalizer, or someone removed it. */
function planAddition(verdict: GroupVerdict, { services }: Facts): FinalizerPlan | undefined {
  if (!('pool' in verdict) || verdict.pool.source.kind === 'cluster') return undefined;
  const { name } = verdict.pool;
  return services.some((service) => holdsFromPool(service, name)) ? { kind: 'add' } : undefined;
}

function planRemoval(pool: Pool, { services, sources }: Facts): FinalizerPlan {
  const users = services.filter((service) => usesPool(service, pool.name));
  if (users.length > 0) return wait('InUse', describeUsers(users), pool);
  // Such a source is asked to take back an address before its Service may go, and cannot be looked through.
  if (pool.source.kind === 'external') return { kind: 'remove', events: [] };
  return waitForSource(pool, sources?.get(pool.name)) ?? { kind: 'remove', events: [] };
}

function waitForSource(pool: Pool, report: SourceReport | undefined): DeletionWait | undefined {
  if (report?.isReady === false) return wait(report.reason, report.message, pool);
  const source = sourceName(pool);
  if (report?.remaining === undefined) {
    return wait('Returning', `${source} is searched for records of this group`, pool);
  }
  const { records, isSuspicious, isSettled } = report.remaining;
  const found = `${source} has ${records} records in the name of this group that belong to no Service of this cluster`;
  if (isSuspicious) {
    const advice = `another cluster may have the same clusterId: delete them in ${source} if nobody uses them`;
    return wait('UnknownOwner', `${found}; ${advice}`, pool);
  }
  if (records > 0) return wait('Returning', `${found}: they are returned within minutes`, pool);
  if (isSettled) return undefined;
  const late = `${source} has no records of this group; it is searched again in some minutes, in case a request is still under way`;
  return wait('Returning', late, pool);
}

function wait(reason: GroupReason, what: string, pool: Pool): DeletionWait {
  const advice = `to delete the group now and leave its records in ${sourceName(pool)}, remove the finalizer ${recordsFinalizer}`;
  return { kind: 'wait', reason, message: `${what}; ${advice}` };
}

const unreadable: DeletionWait = {
  kind: 'wait',
  reason: 'ParseFailed',
  message: `the spec cannot be read, so it is not known where the records of this group are; correct the spec, or remove the finalizer ${recordsFinalizer} to leave the records where they are`,
};

const mostNames = 3;

function describeUsers(users: readonly LoadBalancer[]): string {
  const names = users.slice(0, mostNames).map(({ key }) => key);
  const more = users.length - names.length;
  const list = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const what = users.length === 1 ? 'a Service uses' : `${users.length} Services use`;
  return `${what} addresses of this group: ${list}; delete them, or move them to another group with purelb.io/service-group and purelb.io/re-evaluate`;
}

/** The group no longer says where its records are. */
function leaveRecords({ identity }: Group, why: string): FinalizerPlan {
  const message = `records that were made for ServiceGroup "${identity.name}" elsewhere are no longer managed (${why}): delete them there by hand`;
  return { kind: 'remove', events: [{ reason: 'RecordsLeft', message }] };
}
