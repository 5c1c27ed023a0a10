/**
 * A member whose agent is gone while its kernel serves on: its addresses end with their lifetimes in that kernel, which
 * its last renewal told. Whoever is next takes over a moment before, so that no packet is lost.
 */

import type { Ip } from '../../model/ip.ts';
import { type KernelLifetimes, lifetimeOf } from '../../model/kernel-lifetimes.ts';
import type { Member } from '../../model/member.ts';
import type { Liveness, MemberObservations } from '../announcement/judge-members.ts';

/** What a member said that has not been heard of since; in ms on the monotonic clock. */
export interface LastWord {
  readonly seenAt: number;
  readonly lifetimes: KernelLifetimes;
}

/** Of members whose Lease ended. */
export type LastWords = ReadonlyMap<string, LastWord>;

export function findLastWords(
  members: readonly Member[],
  liveness: ReadonlyMap<string, Liveness>,
  { byNode }: Pick<MemberObservations, 'byNode'>,
): LastWords {
  const expired = members.filter(({ node }) => liveness.get(node) === 'expired');
  return new Map(
    expired.flatMap(({ node, lifetimes }) => {
      const seenAt = byNode.get(node)?.changedAt;
      return seenAt === undefined ? [] : [[node, { seenAt, lifetimes }] as const];
    }),
  );
}

export interface Ending {
  /** Members that are about to drop the address: they need not be waited for. */
  readonly ending: ReadonlySet<string>;
  /** When the next one will be; `Infinity` if none. */
  readonly wakeAt: number;
}

/** Make before break: for so long both have it, and for as long as the kernel is late, which is some 2 s at most. */
const leadMs = 400;
/** Who answers later than that has a new lease of life, by an agent that cannot reach the API server. */
const latestMs = 2_000;

export function findEnding(ip: Ip, words: LastWords, now: number): Ending {
  const ends = [...words].flatMap(([node, { seenAt, lifetimes }]) => {
    const seconds = lifetimeOf(lifetimes, ip) ?? Infinity;
    return seconds === Infinity ? [] : [{ node, at: seenAt + seconds * 1000 }];
  });
  const isEnding = ({ at }: { at: number }) => now >= at - leadMs && now < at + latestMs;
  const later = ends.map(({ at }) => at - leadMs).filter((at) => at > now);
  return {
    ending: new Set(ends.filter(isEnding).map(({ node }) => node)),
    wakeAt: Math.min(...later),
  };
}

/** Whether others may have taken over from this node, having read in its Lease until when it keeps what it has. */
export function isPromiseOver(
  { renewedAt, shortestSeconds }: { readonly renewedAt: number; readonly shortestSeconds: number },
  now: number,
): boolean {
  return now >= renewedAt + shortestSeconds * 1000 - leadMs;
}
