/**
 * When a node may have missed something, and therefore does not rely on what it holds: others may have found it silent
 * and taken over meanwhile. All times are ms on the monotonic clock unless they say otherwise.
 */

import type { DoubtReason } from '../../model/doubt-reasons.ts';
import type { LinkObservations } from '../announcement/judge-links.ts';
import { inquiryMs } from './plan-inquiries.ts';

export interface Doubt {
  /** What was verified before then counts no more. */
  readonly at: number;
  readonly because: DoubtReason;
  /** It goes on until then, unless it is heard of again: there is no use in asking anybody before. */
  readonly until?: number;
}

/** By link; those of a name that no link has are about all of them. */
export type Doubts = ReadonlyMap<string, Doubt>;

export const everyLink = '';

/** What a process can tell of itself at one moment, in ms from starts of their own. */
export interface Pulse {
  readonly monotonic: number;
  /** Counts on while the machine is suspended, as the monotonic clock does not. */
  readonly boot: number;
  /** Of the processor: who computes runs, however long it takes. */
  readonly busy: number;
}

/** How long the process did not run between the two. */
export function idleBetween(before: Pulse, now: Pulse): number {
  const passed = Math.max(now.monotonic - before.monotonic, now.boot - before.boot);
  return Math.max(0, passed - Math.max(0, now.busy - before.busy));
}

/** The later one counts: what came before it has to be asked again anyway. */
export function noteDoubt(doubts: Doubts, link: string, doubt: Doubt): Doubts {
  const before = doubts.get(link);
  return before !== undefined && before.at > doubt.at
    ? doubts
    : new Map([...doubts, [link, doubt]]);
}

export function doubtOf(doubts: Doubts, link: string): Doubt | undefined {
  const found = [doubts.get(everyLink), doubts.get(link)].flatMap((doubt) => doubt ?? []);
  return found.toSorted((left, right) => right.at - left.at)[0];
}

/**
 * Whether an agent that could not read its kernel for so long has left a member's question unanswered. That member
 * concluded that this node does not have the address, and both may be sure of it now.
 */
export function isAnswerMissed(unreadMs: number): boolean {
  return unreadMs >= inquiryMs;
}

/** Links by index that have their carrier back, however short the loss was. */
export function findReturned(
  before: LinkObservations | undefined,
  now: LinkObservations,
): readonly number[] {
  return [...now]
    .filter(([index, { kind }]) => kind !== 'lost' && before?.get(index)?.kind === 'lost')
    .map(([index]) => index);
}
