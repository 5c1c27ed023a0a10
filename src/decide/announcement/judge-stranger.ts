/**
 * Whether a stranger that answers for an address has it, or is a router that answers for everything (proxy ARP). It is
 * asked for addresses that nobody has, again and again: a proxy answers, a host is silent, and answers for the address
 * itself in the same moments. The questions go to its own MAC: Linux answers for others only after up to 0.8 s when
 * everyone is asked (`proxy_delay`), and at once when it is asked by itself. Nothing is added meanwhile.
 */

import type { Mac } from '../../model/mac.ts';
import type { Ask, Clearance, Control, LookQuestion } from './look-before-add.ts';
import { beginOf, type Look, usableLook } from './who-holds.ts';

const rounds = 5;
/** Of those, in which it must have been heard: frames are lost, and switches limit ARP. */
const leastHeard = 3;
const leastWaitMs = 100;

export type StrangerVerdict =
  | 'proxy'
  | (Clearance & { readonly kind: 'ask' | 'wait' | 'conflict' });

export function judgeStranger(question: LookQuestion, look: Look, mac: Mac): StrangerVerdict {
  const { controls, check, now } = question;
  // Every address of the range is in use: there is nothing to put it to the test with.
  if (controls.length === 0) return { kind: 'conflict', mac };
  const tests = controls.map((control) => examine(control, question, look, mac));
  if (tests.every(({ isAnswered }) => isAnswered)) return 'proxy';
  const waitMs = Math.max(check.waitMs, leastWaitMs);
  const sentAt = tests.find(({ isAnswered }) => !isAnswered)?.sentAt ?? [];
  const nextAt = (sentAt.at(-1) ?? -Infinity) + waitMs;
  if (now < nextAt) return { kind: 'wait', until: nextAt };
  if (sentAt.length < rounds) {
    const again = tests.filter(({ isAnswered }) => !isAnswered).map(({ ask }) => ask);
    return { kind: 'ask', asks: [...again, askItself(question, mac, false)] };
  }
  const heard = sentAt.filter((at) => isHeardWithin(look, mac, at, waitMs));
  if (heard.length >= leastHeard) return { kind: 'conflict', mac };
  // It is gone, or frames are lost: begins anew.
  return { kind: 'ask', asks: [askItself(question, mac, true)] };
}

interface Test {
  readonly sentAt: readonly number[];
  readonly isAnswered: boolean;
  /** The next question. */
  readonly ask: Ask;
}

function examine(
  { ip, look: tested }: Control,
  { link, now }: LookQuestion,
  look: Look,
  mac: Mac,
): Test {
  // What was asked before this stranger was heard says nothing of it.
  const found = usableLook({ look: tested, link, now, since: beginOf(look) });
  const isFirst = found === undefined;
  return {
    sentAt: found?.sentAt ?? [],
    isAnswered: found?.answers.some((answer) => answer.mac === mac) ?? false,
    ask: { ip, link, isFirst, to: [mac], ...(!isFirst && { isPrivate: true }) },
  };
}

/** Everyone is asked when it begins anew: others may have come meanwhile. */
function askItself({ ip, link }: LookQuestion, mac: Mac, isFirst: boolean): Ask {
  return { ip, link, isFirst, to: [mac], ...(!isFirst && { isPrivate: true }) };
}

function isHeardWithin({ answers }: Look, mac: Mac, from: number, ms: number): boolean {
  return answers.some((answer) => answer.mac === mac && answer.at >= from && answer.at < from + ms);
}
