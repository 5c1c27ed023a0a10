/** What a Service gets → what is written and said about it: grant, condition, events, counts. */

import { describeAllocation, joinNotes } from '../../model/allocation-record.ts';
import type { Condition } from '../../model/condition.ts';
import { fitMessage } from '../../model/fit-bytes.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type {
  Count,
  PlannedEvent,
  ServiceDecision,
  WantedCondition,
  WantedGrant,
} from './allocation-plan.ts';
import type { Claimant } from './claimant.ts';
import { describeAssignment, describeGivenUp } from './describe-addresses.ts';
import { wantsEveryRange } from './fill-ranges.ts';
import { findNotes } from './find-notes.ts';
import type { Note } from './note.ts';
import type { Wait } from './obstacle.ts';
import type { Round } from './round.ts';
import type { Outcome } from './serve.ts';
import { askedPools, findReturns, waitForReturn } from './source-returns.ts';
import { judgeTrafficPolicy, type PolicyVerdict } from './traffic-policy.ts';
import { isGranted, wantedGrant } from './wanted-grant.ts';

export function answer(claimant: Claimant, outcome: Outcome, round: Round): ServiceDecision {
  const { service } = claimant;
  const verdict = judgeTrafficPolicy(claimant, outcome.addresses, round);
  const { policy } = verdict;
  const notes = findNotes(claimant, outcome, round).concat(verdict.notes);
  const before = service.conditions.find(({ type }) => type === 'Allocated');
  const waits = waitsOf(outcome);
  const returns = returnsOf(service, outcome, waits, round);
  const grant = wantedGrant(service, outcome, [...askedPools(waits), ...returns]);
  const wanted = conditionFor(grant, notes);
  const isSaid = wanted === undefined || isSameCondition(before, wanted);
  const condition = isSaid ? before : wanted;
  // A message that had to be cut does not contain all that it says.
  const isKnown = ({ text }: Note) =>
    (wanted !== undefined && isSaid) || before?.message.includes(text) === true;
  const news = notes.filter((note) => !isKnown(note));
  return {
    kind: kindOf(outcome),
    service,
    grant,
    condition,
    ...describeMoves(claimant, outcome, news, verdict),
    waitsFor: returns.length === 0 ? waits : [...waits, ...returns.map(waitForReturn)],
    policy,
    isChange: policy !== undefined || !isGranted(service, grant) || !isSaid,
  };
}

type Moves = Pick<ServiceDecision, 'gains' | 'givesUp' | 'via' | 'events' | 'counts'>;

const nothing: readonly never[] = [];
const noMoves: Moves = {
  gains: nothing,
  givesUp: nothing,
  via: undefined,
  events: nothing,
  counts: nothing,
};

/** What there is to say and to count. */
function describeMoves(
  claimant: Claimant,
  outcome: Outcome,
  news: readonly Note[],
  { policy, event }: PolicyVerdict,
): Moves {
  const { additions, givesUp, choice } = outcome;
  const { request } = claimant.service;
  if (additions.length + givesUp.length + news.length === 0 && policy === undefined) return noMoves;
  // The rewrite is a write of its own; the rest is said with the write that comes after it.
  const isRewrite = event !== undefined;
  return {
    gains: additions.map(({ ip }) => ip),
    givesUp: givesUp.map(({ place }) => ({ ip: place.ip, pool: place.pool?.name })),
    via: choice?.via ?? (request.addresses.length > 0 ? 'addresses' : undefined),
    events: isRewrite ? [event] : eventsFor(claimant, outcome, news),
    counts: isRewrite ? nothing : countsFor(claimant, outcome, news),
  };
}

function waitsOf({ obstacle, missing }: Outcome): readonly Wait[] {
  if (obstacle === undefined && missing.length === 0) return nothing;
  return [...(obstacle?.waitsFor ?? []), ...missing.flatMap(({ waitsFor }) => waitsFor)];
}

function returnsOf(
  service: LoadBalancer,
  { addresses }: Outcome,
  waits: readonly Wait[],
  { state }: Round,
): readonly string[] {
  const used = () => new Set([...addresses.map(({ pool }) => pool?.name), ...askedPools(waits)]);
  // An address of no group in force may be of one that is gone: its source keeps it.
  const isHomeless = addresses.some(({ pool }) => pool === undefined);
  const isKept = (pool: string) => isHomeless && state.retired?.has(pool) === true;
  return findReturns(service, (pool) => used().has(pool) || isKept(pool), state);
}

function kindOf({ obstacle, additions }: Outcome): ServiceDecision['kind'] {
  if (obstacle?.kind === 'refuse') return 'refuse';
  if (additions.length > 0) return 'assign';
  return obstacle === undefined ? 'keep' : 'pending';
}

/** Undefined while nothing can be said yet. */
function conditionFor(
  { ingress, pools }: WantedGrant,
  notes: readonly Note[],
): WantedCondition | undefined {
  const isFault = notes.some((note) => note.isFault === true);
  if (ingress.length === 0 && !isFault) return undefined;
  const reason = notes.find((note) => note.reason !== undefined)?.reason ?? 'Allocated';
  const message = joinNotes(
    describeAllocation({ ips: ingress, pools }),
    notes.map(({ text }) => text),
  );
  const status = isFault ? 'False' : 'True';
  return { type: 'Allocated', status, reason, message: fitMessage(message) };
}

function eventsFor(
  claimant: Claimant,
  outcome: Outcome,
  news: readonly Note[],
): readonly PlannedEvent[] {
  const { additions, givesUp } = outcome;
  const isAttempt = additions.length > 0 || news.some((note) => note.isFault === true);
  return [
    ...(isAttempt ? describeAttempt(claimant.service, outcome) : []),
    ...(additions.length > 0 ? [describeAssignment(claimant, outcome)] : []),
    ...describeGivenUp(givesUp),
    ...news.flatMap(({ event }) => event ?? []),
  ];
}

/** How the Service asked, where that is worth a word. */
function describeAttempt({ request }: LoadBalancer, { choice }: Outcome): readonly PlannedEvent[] {
  const events: PlannedEvent[] = [];
  if (request.addressesFrom === 'spec') {
    const message =
      'Service.Spec.LoadBalancerIP is deprecated, please use the "purelb.io/addresses" annotation instead';
    events.push({ reason: 'DeprecationWarning', message });
  }
  if (request.addresses.length > 0 && request.group !== undefined && choice === undefined) {
    const message =
      'Both the addresses annotation and the service-group annotation were provided. service-group will be ignored.';
    events.push({ reason: 'ConfigurationWarning', message });
  }
  if (choice?.warning !== undefined) {
    events.push({ reason: 'ConfigurationWarning', message: choice.warning });
  }
  return events;
}

function countsFor(
  { service }: Claimant,
  { additions, missing }: Outcome,
  news: readonly Note[],
): readonly Count[] {
  const rejected = news.flatMap(({ rejection }): Count[] => {
    if (rejection === undefined) return [];
    const { pool = labelWithoutPool(service), reason } = rejection;
    return [{ what: 'rejected', pool, reason }];
  });
  const pool = additions[0]?.pool;
  if (pool?.source.kind !== 'cluster' || service.request.addresses.length > 0) return rejected;
  if (wantsEveryRange(service, pool)) {
    const partial: Count[] =
      missing.length > 0 ? [{ what: 'multipoolPartial', pool: pool.name }] : [];
    return [...rejected, { what: 'multipool', pool: pool.name }, ...partial];
  }
  const isBalanced = pool.source.balancesPools && service.request.sharingKey === undefined;
  return isBalanced ? [...rejected, { what: 'balanced', pool: pool.name }] : rejected;
}

/** Never what the Service calls it: everyone who writes Services could make as many series as they like. */
function labelWithoutPool({ request }: LoadBalancer): string {
  return request.group === undefined ? '<none>' : '<unknown>';
}

function isSameCondition(before: Condition | undefined, wanted: WantedCondition): boolean {
  return (
    before?.status === wanted.status &&
    before.reason === wanted.reason &&
    before.message === wanted.message
  );
}
