/**
 * Which addresses to announce now because a stranger claims them, and when to look again. RFC 5227, 2.4 (c): who must
 * not give an address up may defend it for ever, but not without a limit: two that both do would flood the network. The
 * limit here is for each address, and allows several answers in a row: a stranger that speaks again after a few seconds
 * would otherwise be believed until it is gone.
 */

import type { Ip } from '../../model/ip.ts';

export interface DefenceOrder {
  /** A stranger was heard to claim them since the last time. */
  readonly claimed: ReadonlySet<Ip>;
  /** What this node holds, and nobody takes over. */
  readonly held: ReadonlySet<Ip>;
  /** In ms on the monotonic clock. */
  readonly now: number;
}

/** To be given back next time, by address. */
export type DefenceState = ReadonlyMap<Ip, Defence>;

interface Defence {
  /** The stranger had the last word. */
  readonly isOpen: boolean;
  readonly saidAt: number;
  readonly repeatAt: number;
  /** When all that was said is paid for, by one announcement in each `everyMs`. */
  readonly paidAt: number;
}

export interface DefencePlan {
  readonly due: readonly Ip[];
  readonly state: DefenceState;
  /** `Infinity` if nothing more is to be said. */
  readonly wakeAt: number;
}

/** A stranger speaks in several frames, and may have the last word: that is looked for after so long. */
const spacingMs = 200;
/** Neighbours may believe nobody else for a second after they believed someone (`locktime` of Linux). */
const lockMs = 1_200;
/** Of one address, however often a stranger claims it: so many at once, then one in so long. */
const most = 10;
const everyMs = 5_000;
/** Of these, repeats leave so many for answers. */
const reserve = 5;

export function planDefence(
  { claimed, held, now }: DefenceOrder,
  previous: DefenceState = new Map(),
): DefencePlan {
  const defences = [...new Set([...previous.keys(), ...claimed])].map((ip) => {
    const before = previous.get(ip) ?? untouched;
    const defence = held.has(ip) ? hear(before, claimed.has(ip)) : rest(before);
    const isDue = dueAt(defence) <= now;
    return { ip, isDue, after: isDue ? say(defence, now) : defence };
  });
  // What has nothing left to say or to pay for is as new.
  const kept = defences.filter(({ after }) => dueAt(after) < Infinity || after.paidAt > now);
  return {
    due: defences.filter(({ isDue }) => isDue).map(({ ip }) => ip),
    state: new Map(kept.map(({ ip, after }) => [ip, after])),
    wakeAt: Math.min(...kept.map(({ after }) => wakeAt(after, now))),
  };
}

const untouched: Defence = {
  isOpen: false,
  saidAt: -Infinity,
  repeatAt: Infinity,
  paidAt: -Infinity,
};

function hear(defence: Defence, isClaimed: boolean): Defence {
  return isClaimed ? { ...defence, isOpen: true } : defence;
}

function rest(defence: Defence): Defence {
  return { ...defence, isOpen: false, repeatAt: Infinity };
}

function dueAt({ isOpen, saidAt, repeatAt, paidAt }: Defence): number {
  const left = isOpen ? most : most - reserve;
  return Math.max(isOpen ? saidAt + spacingMs : repeatAt, paidAt - (left - 1) * everyMs);
}

function say({ isOpen, paidAt }: Defence, now: number): Defence {
  return {
    isOpen: false,
    saidAt: now,
    repeatAt: isOpen ? now + lockMs : Infinity,
    paidAt: Math.max(paidAt, now) + everyMs,
  };
}

function wakeAt(defence: Defence, now: number): number {
  const lookAt = defence.saidAt + spacingMs;
  return lookAt > now ? Math.min(lookAt, dueAt(defence)) : dueAt(defence);
}
