/**
 * A node that wins an address and cannot put it on its link gives way: its Lease says so, the others elect without it,
 * and it tries again after a while. Whoever has taken the address meanwhile keeps it.
 */

import { addressKey, type HeldAddress } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import type { AddressDecision } from './address-decision.ts';

/** What came of trying to put an address on a link. Times are ms on the monotonic clock. */
export interface Setback {
  readonly link: string;
  /** The kernel's. */
  readonly words: string;
  readonly attempts: number;
  readonly retryAt: number;
  /** Another node is to hold it and does not yet: were this one to try again, it would snatch it back. */
  readonly isOutvoted: boolean;
}

export type Setbacks = ReadonlyMap<Ip, Setback>;

export interface SetbackFacts {
  readonly node: string;
  readonly decisions: readonly AddressDecision[];
  /** What the kernel has now; undefined: not known. */
  readonly held: readonly HeldAddress[] | undefined;
  /** What the kernel refused just now, by `addressKey`, in its words. */
  readonly failures: ReadonlyMap<string, string>;
  readonly now: number;
}

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

export function noteSetbacks(facts: SetbackFacts, previous: Setbacks): Setbacks {
  const { held, failures } = facts;
  if (held === undefined || (failures.size === 0 && previous.size === 0)) return previous;
  const heldIps = new Set(held.map(({ ip, link }) => `${ip}@${link}`));
  const noted = facts.decisions.flatMap((decision): [Ip, Setback][] => {
    const setback = noteOne(decision, facts, heldIps, previous.get(decision.ip));
    return setback === undefined ? [] : [[decision.ip, setback]];
  });
  return new Map(noted);
}

/** Addresses that the others are not to expect here. */
export function findFailing(setbacks: Setbacks, now: number): ReadonlySet<Ip> {
  return new Set([...setbacks].filter(([, each]) => isWaiting(each, now)).map(([ip]) => ip));
}

/** When this node may be elected again; `Infinity` if there is nothing that it could not do. */
export function nextTryAt(setbacks: Setbacks, now: number): number {
  return Math.min(
    ...[...setbacks.values()].map(({ retryAt }) => (retryAt > now ? retryAt : Infinity)),
  );
}

function isWaiting({ retryAt, isOutvoted }: Setback, now: number): boolean {
  return now < retryAt || isOutvoted;
}

function noteOne(
  decision: AddressDecision,
  facts: SetbackFacts,
  heldIps: ReadonlySet<string>,
  before: Setback | undefined,
): Setback | undefined {
  const { ip, outcome } = decision;
  if (!('wanted' in outcome)) return before && judgeAgain(decision, facts, before);
  const { link } = outcome.wanted;
  const words = facts.failures.get(addressKey(outcome.wanted));
  // Where it is there all the same, also by another's hand, this node answers for it, and nobody else should.
  if (words === undefined || heldIps.has(`${ip}@${link}`)) return undefined;
  const attempts = (before?.attempts ?? 0) + 1;
  return { link, words, attempts, retryAt: facts.now + pauseMs(attempts), isOutvoted: false };
}

function judgeAgain(
  { outcome, election }: AddressDecision,
  { node, now }: SetbackFacts,
  before: Setback,
): Setback | undefined {
  if (outcome.kind === 'leave') return before;
  if (election === undefined) return undefined;
  const isAnothers = election.winner !== undefined && election.winner !== node;
  const isOutvoted = isAnothers && election.because === 'hash';
  const isTaken = isAnothers && !isOutvoted;
  return isTaken && now >= before.retryAt ? undefined : { ...before, isOutvoted };
}

function pauseMs(attempts: number): number {
  return Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs);
}
