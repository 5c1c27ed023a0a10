/** What the allocator knows and decides, for people and tools: the JSON that `allocator state` prints. */

import type { GroupVerdict } from '../decide/allocation/accept-pools.ts';
import type { Decision, PoolOutcome } from '../decide/allocation/allocation-plan.ts';
import { keyOf } from '../model/identity.ts';
import { formatPrefix } from '../model/prefix.ts';
import type { Allocator } from './allocator.ts';

/** `service=NAMESPACE/NAME` asks for one Service alone. */
export function describeState(allocator: Allocator, query: URLSearchParams): unknown {
  const { objects, leadership, last } = allocator;
  return {
    leader: leadership.holder,
    isLeading: allocator.isWriting,
    unsynced: objects.unsynced,
    objects: {
      services: objects.services.size,
      serviceGroups: objects.groups.size,
      namespaces: objects.namespaces.size,
      leases: objects.leases.size,
    },
    pendingWrites: allocator.pendingWrites,
    lastPlan: last && { ...last, at: new Date(last.at).toISOString() },
    ...(last === undefined ? {} : describePlan(allocator, query.get('service'))),
    warnings: listWarnings(allocator),
  };
}

function describePlan(allocator: Allocator, service: string | null) {
  const { plan, state } = allocator.preview();
  const counts: Record<string, number> = {};
  for (const { kind } of plan.decisions) counts[kind] = (counts[kind] ?? 0) + 1;
  return {
    decisions: counts,
    subnets: state.subnets?.map(({ prefix, isLive }) => ({ subnet: formatPrefix(prefix), isLive })),
    lostHolders: Object.fromEntries(state.lostHolders),
    scope: state.pools.scope,
    groups: state.pools.verdicts.map(describeVerdict),
    pools: plan.pools.map(describePool),
    services: describeDecisions(plan.decisions, service),
  };
}

/** One at a time, as the reader takes them: there are thousands. */
function* describeDecisions(decisions: readonly Decision[], service: string | null) {
  for (const each of decisions) {
    if (service === null || each.service.key === service) yield describeDecision(each);
  }
}

function describeVerdict(verdict: GroupVerdict) {
  const group = keyOf(verdict.group.identity);
  return 'pool' in verdict ? { group, pool: verdict.pool.name } : { group, ...verdict.refusal };
}

function describePool({ pool, allocated, available, quarantine }: PoolOutcome) {
  return { pool: pool.name, allocated, available, quarantine };
}

function describeDecision(decision: Decision) {
  const service = decision.service.key;
  if (decision.kind === 'ignore') return { service, decision: 'ignore', why: decision.why };
  const { kind, grant, condition, via, waitsFor, policy, isChange } = decision;
  return {
    service,
    decision: kind,
    addresses: grant.ingress,
    pools: grant.pools,
    via,
    reason: condition?.reason,
    message: condition?.message,
    waitsFor: waitsFor.length === 0 ? undefined : waitsFor,
    policy,
    isWritten: !isChange,
  };
}

/** What could be read only in part, or is probably meant otherwise. */
function* listWarnings({ objects }: Allocator) {
  for (const [service, { warnings }] of objects.services.entries()) {
    if (warnings.length > 0) yield { service, warnings };
  }
  for (const [group, { warnings }] of objects.groups.entries()) {
    if (warnings.length > 0) yield { group, warnings };
  }
}
