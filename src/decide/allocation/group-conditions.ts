/** Whether a ServiceGroup is in force, and why not: its conditions, and the Events when that changes. */

import { fitMessage } from '../../model/fit-bytes.ts';
import { isProblem } from '../../model/parsed.ts';
import type { QuarantinedAddress } from '../../model/pool.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import type { GroupVerdict } from './accept-pools.ts';
import type { PlannedEvent } from './allocation-plan.ts';
import type { SourceReport } from './allocation-state.ts';
import type { ConditionToWrite } from './merge-conditions.ts';
import type { DeletionWait } from './plan-finalizers.ts';

export interface GroupNews {
  /** Of a group whose addresses come from elsewhere. */
  readonly report?: SourceReport | undefined;
  /** Of a group that is being deleted. */
  readonly wait?: DeletionWait | undefined;
}

export function groupConditions(
  verdict: GroupVerdict,
  { report, wait }: GroupNews = {},
): readonly ConditionToWrite[] {
  const { identity } = verdict.group;
  const source = report === undefined ? keptReport(verdict) : [sourceReady(report)];
  const parts = [
    readyWith(ready(verdict), source[0]),
    parsed(verdict),
    overlap(verdict),
    outOfScope(verdict),
    ...source,
    ...recordsReturned(wait),
  ];
  return parts.map((part) => ({ ...part, observedGeneration: identity.generation }));
}

export function groupEvents(
  verdict: GroupVerdict,
  { report, wait }: GroupNews = {},
): readonly PlannedEvent[] {
  const { conditions, announce } = verdict.group.status;
  if (verdict.group.identity.isDeleting) return deletionEvents(verdict, wait);
  const { status, message } = ready(verdict);
  const before = conditions.find(({ type }) => type === 'Ready');
  // That the source fails is told by Events of its own.
  const former = isOfSource(before?.reason) ? 'True' : before?.status;
  const isNews = former !== status || (status === 'False' && before?.message !== message);
  const news = isNews ? [describe(verdict)] : [];
  return [...news, ...findAnnounceChange(verdict, announce), ...sourceEvents(verdict, report)];
}

/** Free addresses that were put into quarantine just now, because a host outside the cluster uses them. */
export function freeConflictEvents(
  { group }: GroupVerdict,
  quarantine: readonly QuarantinedAddress[] | undefined,
): readonly PlannedEvent[] {
  const known = new Set(group.status.quarantine.map(({ ip, until }) => `${ip} ${until}`));
  const found = (quarantine ?? []).filter(
    ({ reason, service, ip, until }) =>
      reason === 'Conflict' && service === undefined && !known.has(`${ip} ${until}`),
  );
  return found.map(({ ip, mac = 'unknown MAC', node = 'a node', until }) => ({
    reason: 'AddressConflict',
    message: `${ip} is free, but a host outside the cluster (${mac}, seen by ${node}) uses it: it is not given out before ${formatTimestamp(until)}`,
  }));
}

function describe(verdict: GroupVerdict): PlannedEvent {
  if ('pool' in verdict) return { reason: 'Parsed', message: 'ServiceGroup parsed successfully' };
  const { reason, message } = verdict.refusal;
  const isOutside = reason === 'OutsideInstallNamespace';
  return { reason: isOutside ? 'ServiceGroupOutOfScope' : 'ParseFailed', message };
}

/** Writing a v1 group through v2 fills in v2's default for `announce`, and nobody notices. */
function findAnnounceChange(
  verdict: GroupVerdict,
  before: string | undefined,
): readonly PlannedEvent[] {
  if (!('pool' in verdict) || before !== 'Auto' || verdict.pool.announce !== 'local') return [];
  const message =
    'announce has changed from auto to local: addresses outside the nodes\u2019 subnets are no longer announced; set spec.announce: auto if that is not meant';
  return [{ reason: 'AnnounceChanged', message }];
}

/** Nobody has asked yet since this allocator leads: what its predecessor found still stands. */
function keptReport(verdict: GroupVerdict): readonly ConditionToWrite[] {
  if (!('pool' in verdict) || verdict.pool.source.kind === 'cluster') return [];
  const before = verdict.group.status.conditions.find(({ type }) => type === 'SourceReady');
  if (before === undefined) return [];
  const { type, status, reason, message } = before;
  return [{ type, status, reason, message }];
}

function sourceReady({ isReady, reason, message, warnings }: SourceReport): ConditionToWrite {
  const status = isReady ? 'True' : 'False';
  const text = fitMessage([message, ...warnings].join('; '));
  return { type: 'SourceReady', status, reason, message: text };
}

/** Said when it changes, by what stood in the condition. */
function sourceEvents(
  { group }: GroupVerdict,
  report: SourceReport | undefined,
): readonly PlannedEvent[] {
  if (report === undefined) return [];
  const before = group.status.conditions.find(({ type }) => type === 'SourceReady');
  const now = sourceReady(report);
  const isSame = before?.status === now.status && before.message === now.message;
  if (isSame) return [];
  if (!report.isReady) return [{ reason: 'SourceFailed', message: report.message }];
  const news = report.warnings.filter((warning) => before?.message.includes(warning) !== true);
  const recovered = before?.status === 'False';
  return [
    ...(recovered ? [{ reason: 'SourceRecovered', message: report.message } as const] : []),
    ...news.map((message) => ({ reason: 'SourceWarning', message }) as const),
  ];
}

function recordsReturned(wait: DeletionWait | undefined): readonly ConditionToWrite[] {
  if (wait === undefined) return [];
  const { reason, message } = wait;
  return [{ type: 'RecordsReturned', status: 'False', reason, message: fitMessage(message) }];
}

/** Said when the cause changes and somebody has to do something; how many Services are left is in the condition. */
function deletionEvents(
  { group }: GroupVerdict,
  wait: DeletionWait | undefined,
): readonly PlannedEvent[] {
  const before = group.status.conditions.find(({ type }) => type === 'RecordsReturned');
  if (wait === undefined || wait.reason === 'Returning' || before?.reason === wait.reason)
    return [];
  return [{ reason: 'DeletionWaits', message: wait.message }];
}

function ready(verdict: GroupVerdict): ConditionToWrite {
  const type = 'Ready';
  if ('pool' in verdict && verdict.group.identity.isDeleting) {
    const message = 'the group is being deleted and gives out no addresses; Services keep theirs';
    return { type, status: 'False', reason: 'BeingDeleted', message };
  }
  if ('pool' in verdict) {
    return { type, status: 'True', reason: 'Accepted', message: 'addresses are given out' };
  }
  const { reason, message } = verdict.refusal;
  return { type, status: 'False', reason, message: fitMessage(message) };
}

/** A group that is in force gives nothing out while its source does not. */
function readyWith(own: ConditionToWrite, source: ConditionToWrite | undefined): ConditionToWrite {
  if (own.status !== 'True' || source?.status !== 'False') return own;
  const { reason, message } = source;
  return { ...own, status: 'False', reason, message: `${message}; Services keep what they have` };
}

function isOfSource(reason: string | undefined): boolean {
  return reason === 'Unavailable' || reason === 'Denied' || reason === 'Misconfigured';
}

function parsed({ group }: GroupVerdict): ConditionToWrite {
  const type = 'Parsed';
  if (!isProblem(group.pool)) {
    return {
      type,
      status: 'True',
      reason: 'Accepted',
      message: 'ServiceGroup parsed successfully',
    };
  }
  const message = group.pool.problems.map((each) => `${each.path}: ${each.message}`).join('; ');
  return { type, status: 'False', reason: 'ParseFailed', message };
}

function overlap(verdict: GroupVerdict): ConditionToWrite {
  const type = 'Overlap';
  if ('pool' in verdict) {
    const message = 'no range overlaps one of another group';
    return { type, status: 'False', reason: 'NoOverlap', message };
  }
  const { reason } = verdict.refusal;
  if (reason === 'OverlapsOther') return { type, status: 'True', ...verdict.refusal };
  return { type, status: 'Unknown', reason, message: 'the group is not in force' };
}

function outOfScope(verdict: GroupVerdict): ConditionToWrite {
  const type = 'OutOfScope';
  if ('refusal' in verdict && verdict.refusal.reason === 'OutsideInstallNamespace') {
    return { type, status: 'True', ...verdict.refusal };
  }
  const message = 'groups of this namespace are used';
  return { type, status: 'False', reason: 'InScope', message };
}
