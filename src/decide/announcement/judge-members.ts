/**
 * Which members live, by seeing their Leases change on our own monotonic clock: what time another node believes it is
 * plays no part. Who cannot renew its own Lease may be the one that is cut off, and judges nobody.
 */

import type { Member } from '../../model/member.ts';

export type Liveness = 'alive' | 'expired';

/** What has been seen so far; all times in ms on the monotonic clock. */
export interface MemberObservations {
  readonly byNode: ReadonlyMap<string, MemberObservation>;
  /** Since when we see: silence from before then proves nothing. */
  readonly sightedSince: number;
  readonly renewedAt: number;
}

interface MemberObservation {
  /** What changes with each renewal, and not when someone else writes to the Lease. */
  readonly sign: string;
  readonly changedAt: number;
  readonly liveness: Liveness;
}

export interface MemberFacts {
  readonly me: string;
  readonly members: readonly Member[];
  /** When our own Lease was last renewed with success; `-Infinity` if never. */
  readonly renewedAt: number;
  /** Of our own Lease. */
  readonly durationMs: number;
  readonly now: number;
}

export interface MemberJudgement {
  readonly liveness: ReadonlyMap<string, Liveness>;
  /** To be given back with the next facts. */
  readonly observations: MemberObservations;
  /** When the next Lease ends, unless it is renewed; `Infinity` if none will. */
  readonly wakeAt: number;
}

export function judgeMembers(
  facts: MemberFacts,
  previous: MemberObservations | undefined,
): MemberJudgement {
  const sightedSince = findSightedSince(facts, previous);
  const judged = facts.members.map((member) => {
    const seen = observe(member, previous?.byNode.get(member.node), facts.now);
    const endsAt = Math.max(seen.changedAt, sightedSince) + member.durationMs;
    return { node: member.node, endsAt, observation: judge(seen, member, facts, endsAt) };
  });
  const byNode = new Map(judged.map(({ node, observation }) => [node, observation]));
  const pending = judged.filter(({ node, observation }) => {
    return node !== facts.me && observation.liveness === 'alive';
  });
  return {
    liveness: new Map([...byNode].map(([node, { liveness }]) => [node, liveness])),
    observations: { byNode, sightedSince, renewedAt: facts.renewedAt },
    wakeAt: isSighted(facts) ? Math.min(...pending.map(({ endsAt }) => endsAt)) : Infinity,
  };
}

function isSighted({ renewedAt, durationMs, now }: MemberFacts): boolean {
  return now - renewedAt < durationMs;
}

/** After a gap in our own renewals the others get the time of a whole Lease to be seen again. */
function findSightedSince(facts: MemberFacts, previous: MemberObservations | undefined): number {
  if (previous === undefined) return facts.now;
  const hadGap = facts.renewedAt - previous.renewedAt >= facts.durationMs;
  return hadGap ? facts.now : previous.sightedSince;
}

function observe(
  { renewTime, instance }: Member,
  previous: MemberObservation | undefined,
  now: number,
): MemberObservation {
  const sign = `${renewTime} ${instance}`;
  if (previous?.sign === sign) return previous;
  return { sign, changedAt: now, liveness: 'alive' };
}

function judge(
  seen: MemberObservation,
  { node }: Member,
  facts: MemberFacts,
  endsAt: number,
): MemberObservation {
  const isOver = facts.now >= endsAt && node !== facts.me && isSighted(facts);
  return isOver && wasRenewedSince(endsAt, facts) ? { ...seen, liveness: 'expired' } : seen;
}

/**
 * Renewals come twice in the duration: ours succeeded after the other's next one was due. When the API server goes away
 * all Leases end at about the same time, and whoever renewed last must not see the others end before its own.
 */
function wasRenewedSince(endsAt: number, { renewedAt, durationMs }: MemberFacts): boolean {
  return renewedAt >= endsAt - durationMs / 2;
}
