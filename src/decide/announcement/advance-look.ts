/**
 * Whether a look that began before the address was given out can stand in for one at first use. It can as long as the
 * node has listened on the link ever since: a host that takes an address announces it, and another member that is about
 * to take it asks for it, and either is heard. Whenever that is in doubt the wire is asked as if nobody had looked.
 */

import type { LookQuestion } from './look-before-add.ts';
import { beginOf, type Look, lookFreshMs } from './who-holds.ts';

/**
 * For how long silence counts. A host that takes an address without announcing it stays unnoticed for as long; half of
 * the time would cost twice the frames.
 */
export const advanceLookMs = 30_000;

/** A look that old is renewed, so that it never ends while the address is about to be given out. */
export const renewLookMs = 20_000;

/** Of two members that ask within this time of each other, the one of lower rank waits for its turn. */
const sameTimeMs = 500;

export function usableAdvanceLook(question: LookQuestion): Look | undefined {
  const { look, link, now, aheadMs, delayMs = 0 } = question;
  if (look === undefined || aheadMs === undefined || look.link !== link || look.isDeaf) {
    return undefined;
  }
  const age = now - (look.sentAt.at(-1) ?? -Infinity);
  // Members that this node takes for dead get a moment to show that they live: they would have to be asked now.
  const isVoid = age >= aheadMs || delayMs > 0 || isOvertaken(question, look);
  if (isVoid || (age >= lookFreshMs && hasReply(question, look))) return undefined;
  return look;
}

/** The node may have missed frames since the look began, or another member has asked for the address since. */
function isOvertaken({ doubtedAt = -Infinity, askedAt = -Infinity }: LookQuestion, look: Look) {
  const begunAt = beginOf(look);
  return doubtedAt >= begunAt || askedAt >= begunAt + sameTimeMs;
}

/** What was answered long ago is asked again, by members and hosts alike. */
function hasReply({ proxies, identities, me }: LookQuestion, { answers }: Look): boolean {
  return answers.some(({ mac }) => !proxies.has(mac) && identities.get(mac) !== me);
}
