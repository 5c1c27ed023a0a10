/**
 * What an agent does with the addresses in its kernel while it cannot read the cluster: it extends their lifetimes as
 * long as no other host replies for them. It asks before every extension: other members read in this node's Lease until
 * when the addresses last, and take over then. Addresses that are not wanted go once the cluster is known.
 */

import type { HeldAddress } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import type { Ownership } from './judge-adopted.ts';
import type { PlannedChange } from './plan-addresses.ts';
import { armForRestart, findAging } from './restart-grace.ts';

/** Times are ms on the monotonic clock. */
export interface AdoptionFacts {
  readonly held: readonly HeldAddress[];
  /** Addresses that another host replied for, with the time of the next question. */
  readonly resting: ReadonlyMap<Ip, number>;
  readonly graceSeconds: number;
  /** The first round of the process, rather than a repeat while it waits for the API server. */
  readonly isStart: boolean;
  readonly now: number;
}

export interface Adoption {
  readonly changes: readonly PlannedChange[];
  readonly resting: ReadonlyMap<Ip, number>;
  /** When the next round is due; `Infinity` if there is nothing to keep. */
  readonly wakeAt: number;
}

/** Addresses to extend now, if nobody else owns them. Never shortens a lifetime. */
export function findDue(facts: AdoptionFacts): readonly HeldAddress[] {
  const { held, resting, graceSeconds, isStart, now } = facts;
  const kept = findAging(held).filter(({ ip }) => (resting.get(ip) ?? -Infinity) <= now);
  const limit = isStart ? graceSeconds : graceSeconds / 2;
  // All are extended together when the first is due.
  if (!kept.some(({ ip, validSeconds }) => validSeconds <= limit || resting.has(ip))) return [];
  return kept.filter(({ validSeconds }) => validSeconds < graceSeconds);
}

/** What the wire said just now. */
export interface AdoptionAnswers {
  /** Of each address that was asked for. */
  readonly ownership: ReadonlyMap<Ip, Ownership>;
  /** Addresses that another host claims without proof, since when: they are kept alive, and asked for again. */
  readonly unproven: ReadonlyMap<Ip, number>;
  /** Addresses that this node gives up to the host that owns them. */
  readonly yielded: ReadonlySet<Ip>;
}

export function planAdoption(facts: AdoptionFacts, answers: AdoptionAnswers): Adoption {
  const { held, graceSeconds, now } = facts;
  const { ownership, yielded, unproven } = answers;
  const armed = [
    ...findDue(facts).filter(({ ip }) => ownership.get(ip) === 'free' && !yielded.has(ip)),
    ...findAging(held).filter(
      ({ ip, validSeconds }) => unproven.has(ip) && validSeconds <= graceSeconds / 2,
    ),
  ];
  const removed = held.filter(({ isOurs, ip }) => isOurs && yielded.has(ip));
  const resting = findResting(facts, answers);
  const isArmed = new Set(armed);
  const aging = findAging(held).filter(({ ip }) => !resting.has(ip) && !yielded.has(ip));
  const remaining = aging.map((each) => (isArmed.has(each) ? graceSeconds : each.validSeconds));
  const nextAt = now + 1000 * (Math.min(...remaining) - graceSeconds / 2);
  return {
    changes: [
      ...armed.map((address) => armForRestart(address, graceSeconds)),
      ...removed.map(removeOwned),
    ],
    resting,
    wakeAt: Math.min(nextAt, ...resting.values()),
  };
}

/**
 * The questions come closer together as the end of the lifetime does. Of an address that is claimed without proof they
 * come further apart: a signed word comes within milliseconds, or not at all.
 */
const restShare = 4;
const rests = { leastMs: 200, mostMs: 15_000, mostUnprovenMs: 1_000 };

/** Addresses that another host claims, or whose question was not heard, with the time of the next question. */
function findResting(
  { held, resting, now }: AdoptionFacts,
  answers: AdoptionAnswers,
): ReadonlyMap<Ip, number> {
  const { ownership, yielded } = answers;
  const entries = held
    .filter(({ isOurs, ip }) => isOurs && !yielded.has(ip))
    .flatMap(({ ip, validSeconds }): [Ip, number][] => {
      const found = ownership.get(ip);
      const before = resting.get(ip);
      if (found === undefined) return before === undefined ? [] : [[ip, before]];
      if (found === 'free') return [];
      return [[ip, now + restOf({ ip, validSeconds, found, now }, answers)]];
    });
  return new Map(entries);
}

interface Doubted extends Pick<HeldAddress, 'ip' | 'validSeconds'> {
  readonly found: Ownership;
  readonly now: number;
}

function restOf({ ip, validSeconds, found, now }: Doubted, { unproven }: AdoptionAnswers): number {
  const since = unproven.get(ip);
  const share = (since === undefined ? 1000 * validSeconds : now - since) / restShare;
  const mostMs = since === undefined ? rests.mostMs : rests.mostUnprovenMs;
  if (found !== 'answered' && since === undefined) return rests.leastMs;
  return Math.max(Math.min(share, mostMs), rests.leastMs);
}

function removeOwned({ link, ip, prefixLength }: HeldAddress): PlannedChange {
  const address = { link, ip, prefixLength };
  return { change: { kind: 'remove', address }, reason: 'ownedElsewhere' };
}
