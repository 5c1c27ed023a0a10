/**
 * Who is to take an address that nobody has, and does not: its agent may be gone, stand still, or not know the cluster
 * yet while the API server is away. After a while it is passed over, and the next in rank is elected. Nothing else
 * changes: the next one asks the wire first, and leaves the address to whoever answers for it.
 */

import type { FailoverTimings } from '../../model/agent-config.ts';
import type { Ip } from '../../model/ip.ts';
import type { ConflictCheck } from '../../model/pool.ts';
import type { AddressDecision } from '../announcement/address-decision.ts';
import type { Candidate, Election } from '../announcement/elect.ts';
import { longestLookMs } from '../announcement/look-before-add.ts';
import type { WireView } from '../announcement/node-snapshot.ts';

/** All times are ms on the monotonic clock. */
export interface Expectation {
  readonly winner: string;
  readonly since: number;
  /** When it is passed over. */
  readonly until: number;
  /** Those before it that were. */
  readonly passed: ReadonlySet<string>;
}

/** By addresses that nobody is known to have. */
export type Expectations = ReadonlyMap<Ip, Expectation>;

export interface ExpectationFacts {
  readonly me: string;
  readonly decisions: readonly Pick<AddressDecision, 'ip' | 'election'>[];
  /** The members that slots name. */
  readonly slots: ReadonlyMap<Ip, string>;
  readonly announced: WireView['announced'];
  readonly timings: Pick<FailoverTimings, 'confirmMs' | 'rankDelayMs'>;
  /** So long a new address may wait for kube-proxy on the node that takes it. */
  readonly forwardingWaitMs: number;
  /** As the pools have them: who takes an address asks the wire before. */
  readonly checks: readonly ConflictCheck[];
  readonly now: number;
}

/** For a pass of its own, and for frames to arrive. */
const takeMs = 300;
/** Nobody misses an address that was never there as much as one that was. */
const firstUseMs = 2_000;
/** Once everyone was passed over there is another reason why nobody takes it. */
const laterRoundMs = 30_000;
/** Who takes over may have found out, and said so, before this node did. */
const beforehandMs = 2_000;

export function expectSuccessors(facts: ExpectationFacts, before: Expectations): Expectations {
  const expected = facts.decisions.flatMap(({ ip, election }): [Ip, Expectation][] => {
    if (election?.winner === undefined || !isVacant(facts.slots.get(ip), election)) return [];
    const { winner } = election;
    return [[ip, expect(ip, { ...election, winner }, facts, before.get(ip))]];
  });
  return new Map(expected);
}

/** Members that are not waited for any longer, by address. */
export function findPassedOver(
  expectations: Expectations,
  now: number,
): ReadonlyMap<Ip, ReadonlySet<string>> {
  const found = [...expectations].map(([ip, one]) => [ip, passedBy(one, now)] as const);
  return new Map(found.filter(([, passed]) => passed.size > 0));
}

/** When the next one is passed over; `Infinity` if none is waited for. */
export function nextPassAt(expectations: Expectations, now: number): number {
  const later = [...expectations.values()].map(({ until }) => until).filter((at) => at > now);
  return Math.min(...later);
}

/**
 * Where the slot names someone who lives, the address is there, or that one says why not. A member that started after
 * the last renewal of an owner without an agent does not know when its addresses end: the others do.
 */
function isVacant(slot: string | undefined, { candidates, ending }: Election): boolean {
  return slot === undefined || slot === ending || verdictOf(slot, candidates) === 'silent';
}

function verdictOf(name: string, candidates: readonly Candidate[]) {
  return candidates.find(({ node }) => node === name)?.verdict;
}

function passedBy({ winner, until, passed }: Expectation, now: number): ReadonlySet<string> {
  return now >= until ? new Set([...passed, winner]) : passed;
}

function expect(
  ip: Ip,
  election: Election & { readonly winner: string },
  facts: ExpectationFacts,
  before: Expectation | undefined,
): Expectation {
  const { winner } = election;
  const { me, now } = facts;
  const isSame = before?.winner === winner && now < before.until;
  const next = isSame ? before : begin(ip, election, facts, before);
  const isTaken = winner === me || isSaidToBeTaken(ip, election, facts, next.since);
  return isTaken ? { ...next, until: Infinity } : next;
}

function begin(
  ip: Ip,
  election: Election & { readonly winner: string },
  facts: ExpectationFacts,
  before: Expectation | undefined,
): Expectation {
  const { winner } = election;
  const { slots, now } = facts;
  const passed = before === undefined ? new Set<string>() : passedBy(before, now);
  if (passed.has(winner)) {
    return { winner, since: now, until: now + laterRoundMs, passed: new Set() };
  }
  const slot = slots.get(ip);
  const waitMs = slot !== undefined ? takeoverMs(slot, election, facts) : firstTakeMs(facts);
  return { winner, since: now, until: now + waitMs, passed };
}

/** It asks the wire, and may wait for kube-proxy. */
function firstTakeMs({ checks, forwardingWaitMs }: ExpectationFacts): number {
  const takingMs = Math.max(firstUseMs, forwardingWaitMs + takeMs);
  return takingMs + longestLookMs(checks, true);
}

/** It looks for itself at the one that is silent, and at the wire, and waits for those of better rank. */
function takeoverMs(
  slot: string,
  { winner, candidates }: Election,
  { timings, checks }: ExpectationFacts,
): number {
  const rank = candidates.findIndex(({ node }) => node === winner);
  const better = candidates
    .slice(0, rank)
    .filter(({ node, verdict }) => verdict === 'silent' && node !== slot);
  const { confirmMs, rankDelayMs } = timings;
  return takeMs + 2 * confirmMs + better.length * rankDelayMs + longestLookMs(checks, false);
}

function isSaidToBeTaken(
  ip: Ip,
  { candidates }: Election,
  { announced }: ExpectationFacts,
  since: number,
): boolean {
  const said = announced.get(ip);
  if (said === undefined || said.at < since - beforehandMs) return false;
  return verdictOf(said.node, candidates) !== 'silent';
}
