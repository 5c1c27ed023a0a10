/**
 * Before a node puts an address on a link that it does not hold, it asks the wire whether someone else does. Whoever
 * answers decides what becomes of it; silence until the deadline lets it in.
 */

import type { Slot } from '../../model/announcing.ts';
import type { Ip } from '../../model/ip.ts';
import type { Mac } from '../../model/mac.ts';
import type { ConflictCheck } from '../../model/pool.ts';
import { usableAdvanceLook } from './advance-look.ts';
import { type Identities, macsOf } from './identities.ts';
import { judgeStranger, type StrangerVerdict } from './judge-stranger.ts';
import { beginOf, hasClaimed, hasDenied, type Look, usableLook } from './who-holds.ts';

export interface LookQuestion {
  readonly me: string;
  readonly ip: Ip;
  readonly link: string;
  readonly check: ConflictCheck;
  /** The user wants no look before first use. */
  readonly skipsCheck: boolean;
  readonly slot: Slot | undefined;
  readonly claims: ReadonlySet<string>;
  /** Members that said, when asked by themselves, that they do not hold it, and when they were asked. */
  readonly denied: ReadonlyMap<string, number>;
  readonly look: Look | undefined;
  /** The member that hands it over to this one: that it answers is as it should be. */
  readonly handedBy?: string | undefined;
  /** Addresses that nobody should have: who answers for them answers for everything. */
  readonly controls: readonly Control[];
  /** MACs already known to do so. */
  readonly proxies: ReadonlySet<Mac>;
  readonly identities: Identities;
  /** Members to ask by themselves, beside everyone: with ARP suppression only unicast reaches them. */
  readonly suspects: readonly string[];
  /** Members of better rank that ask for the address as well, and when they last did. */
  readonly betterAskers?: ReadonlyMap<string, number> | undefined;
  /** When another member last asked for the address, whatever its rank. */
  readonly askedAt?: number | undefined;
  /** When this node last had reason to doubt that it hears everything on the link. */
  readonly doubtedAt?: number | undefined;
  /** For how long a look in advance counts; without it none does. */
  readonly aheadMs?: number | undefined;
  /** For those of better rank that this node holds for dead, and that may live all the same. */
  readonly delayMs?: number | undefined;
  /** A look that began before then is none. Undefined: this is about first use. */
  readonly since?: number | undefined;
  readonly now: number;
}

export interface Control {
  readonly ip: Ip;
  readonly look: Look | undefined;
}

export type Clearance =
  | { readonly kind: 'add'; readonly findings: readonly WireFinding[] }
  | { readonly kind: 'ask'; readonly asks: readonly Ask[]; readonly isAboutStranger?: true }
  | { readonly kind: 'wait'; readonly until: number; readonly isAboutStranger?: true }
  | { readonly kind: 'conflict'; readonly mac: Mac }
  /** Nobody but the member that hands it over answers for it. */
  | { readonly kind: 'handed'; readonly findings: readonly WireFinding[] }
  /** Until then; it is asked again after. */
  | { readonly kind: 'heldByMember'; readonly node: string; readonly until: number };

/** Probes to send now. The answers go into the look for that address. */
export interface Ask {
  readonly ip: Ip;
  readonly link: string;
  /** Begin a new look; what an earlier one heard is forgotten. */
  readonly isFirst: boolean;
  /** To these, beside everyone: with ARP suppression only unicast reaches the holder. */
  readonly to: readonly Mac[];
  /** To those alone. */
  readonly isPrivate?: boolean;
  /** Once more after so many ms, without further decision, unless someone answers before. */
  readonly repeatMs?: number;
  /** No Service has the address yet. */
  readonly isAhead?: boolean;
}

export type WireFinding =
  /** IPVS without strictARP, or `arp_ignore=0`. */
  | { readonly kind: 'answersUnclaimed'; readonly node: string; readonly mac: Mac }
  | { readonly kind: 'proxyArp'; readonly mac: Mac };

/** A member that gives an address up, as this one waits for, does so within moments. */
const heldRetryMs = 500;

/** How long a member that answers without having claimed the address may take to make its claim known. */
const claimPatienceMs = 2000;

export function lookBeforeAdd(question: LookQuestion): Clearance {
  if (scheduleFor(question).probesAt.length === 0) return { kind: 'add', findings: [] };
  const look = findLook(question);
  if (look === undefined) return { kind: 'ask', asks: [ask(question, true)] };
  const heard = hear(question, look);
  if (heard.holder !== undefined) return awaitHolder(question, look, heard.holder);
  if (heard.isHanded && heard.strangers.length === 0) return { kind: 'handed', findings: [] };
  return judgeOthers(question, look, heard);
}

function judgeOthers(question: LookQuestion, look: Look, heard: Heard): Clearance {
  const verdicts = heard.strangers.map((mac) => ({
    mac,
    verdict: judgeStranger(question, look, mac),
  }));
  const others = verdicts.flatMap(({ verdict }) => (verdict === 'proxy' ? [] : [verdict]));
  if (others[0] !== undefined) return markStranger(others[0], question, look, heard);
  const proxies = verdicts.map(({ mac }) => ({ kind: 'proxyArp', mac }) as const);
  if (heard.isHanded) return { kind: 'handed', findings: proxies };
  const findings = [...heard.unclaimed, ...proxies];
  const turn = awaitTurn(question, look);
  if (turn !== undefined) return turn;
  const waitsForClaim = heard.unclaimed.some(({ node }) => mayClaim(node, question, look));
  return proceed(question, look, scheduleFor(question), { findings, waitsForClaim });
}

/** Whether only the stranger is still to be judged, and no member is left to wait for. */
function markStranger(
  verdict: Exclude<StrangerVerdict, 'proxy'>,
  question: LookQuestion,
  look: Look,
  { unclaimed }: Heard,
): Clearance {
  if (verdict.kind === 'conflict') return verdict;
  const waitsForClaim = unclaimed.some(({ node }) => mayClaim(node, question, look));
  const rest = proceed(question, look, scheduleFor(question), { findings: [], waitsForClaim });
  return rest.kind === 'add' ? { ...verdict, isAboutStranger: true } : verdict;
}

/** A member that answers may hold it and have had no time to say so; unless it says that it does not. */
function mayClaim(node: string, { slot, suspects, denied }: LookQuestion, look: Look): boolean {
  return (slot !== undefined || suspects.includes(node)) && !hasDenied(node, denied, beginOf(look));
}

/** So long the better one has for itself. */
const turnMs = 1000;

/** Of two that ask at the same time the better one goes on; the other waits, and asks anew whether it was taken. */
function awaitTurn({ betterAskers, ...question }: LookQuestion, look: Look): Clearance | undefined {
  // Who has the address already has had its turn.
  if (question.since !== undefined) return undefined;
  const [first = question.now] = look.sentAt;
  const times = [...(betterAskers?.values() ?? [])].filter((at) => at > first - turnMs);
  if (times.length === 0) return undefined;
  const until = Math.max(...times) + turnMs;
  if (question.now < until) return { kind: 'wait', until };
  return first < until ? { kind: 'ask', asks: [ask(question, true)] } : undefined;
}

function awaitHolder(question: LookQuestion, look: Look, node: string): Clearance {
  const until = (look.sentAt.at(-1) ?? question.now) + heldRetryMs;
  if (question.now < until) return { kind: 'heldByMember', node, until };
  return { kind: 'ask', asks: [ask(question, true)] };
}

/** A look in advance is about first use only. */
function findLook(question: LookQuestion): Look | undefined {
  if (question.look?.isAhead !== true) return usableLook(question);
  return isFirstUse(question) ? usableAdvanceLook(question) : undefined;
}

/** Nobody is said to hold the address, and this node does not hold it. */
function isFirstUse({ slot, since, handedBy, suspects }: LookQuestion): boolean {
  const isSaid = slot !== undefined || handedBy !== undefined || suspects.length > 0;
  return !isSaid && since === undefined;
}

const fullMs = 4000;

interface Schedule {
  /** In ms after the first. */
  readonly probesAt: readonly number[];
  /** After the last one. */
  readonly waitMs: number;
}

function scheduleFor(question: LookQuestion): Schedule {
  const { check, skipsCheck } = question;
  const { waitMs } = check;
  // Someone is said to hold it, if only this node: that is asked twice, whatever checks the user wants before first use.
  if (!isFirstUse(question)) return { probesAt: [0, waitMs], waitMs };
  if (check.mode === 'Off' || skipsCheck) return { probesAt: [], waitMs: 0 };
  // RFC 5227, 2.1.1, without its random delays: each node decides alone when to begin anyway.
  if (check.mode === 'Full') return { probesAt: [0, 1000, 2000], waitMs: fullMs - 2000 };
  return { probesAt: [0], waitMs };
}

/** How long asking the wire takes at most, with any of these checks. */
export function longestLookMs(checks: readonly ConflictCheck[], isFirstUse: boolean): number {
  const ms = checks.map(({ mode, waitMs }) =>
    isFirstUse && mode === 'Full' ? fullMs : 2 * waitMs,
  );
  return Math.max(0, ...ms);
}

interface Heard {
  readonly holder: string | undefined;
  readonly isHanded: boolean;
  readonly unclaimed: readonly (WireFinding & { readonly kind: 'answersUnclaimed' })[];
  readonly strangers: readonly Mac[];
}

function hear(question: LookQuestion, look: Look): Heard {
  const { identities, me, proxies, handedBy } = question;
  const answers = look.answers
    .filter(({ mac }) => !proxies.has(mac) && identities.get(mac) !== me)
    .map((answer) => ({ answer, node: identities.get(answer.mac) }));
  const members = answers.flatMap(({ answer: { mac }, node }) =>
    node === undefined ? [] : [{ kind: 'answersUnclaimed', node, mac } as const],
  );
  const others = members.filter(({ node }) => node !== handedBy);
  const strangers = answers.filter(({ node }) => node === undefined);
  const isClaimed = (node: string) => hasClaimed(node, question, beginOf(look));
  return {
    holder: others.find(({ node }) => isClaimed(node))?.node,
    isHanded: others.length < members.length,
    unclaimed: others.filter(({ node }) => !isClaimed(node)),
    strangers: [...new Set(strangers.map(({ answer }) => answer.mac))],
  };
}

function proceed(
  question: LookQuestion,
  look: Look,
  { probesAt, waitMs }: Schedule,
  heard: { readonly findings: readonly WireFinding[]; readonly waitsForClaim: boolean },
): Clearance {
  const { now, delayMs = 0 } = question;
  const { sendingMs = 0 } = look;
  const [first = now] = look.sentAt;
  const next = probesAt[look.sentAt.length];
  if (next !== undefined) {
    // What is asked again by itself is over, answers included, when it is looked at.
    const repeatingMs = isRepeating(look) ? sendingMs + waitMs + timerMs : 0;
    const dueAt = first + sendingMs + next + repeatingMs;
    return now < dueAt
      ? { kind: 'wait', until: dueAt }
      : { kind: 'ask', asks: [ask(question, false)] };
  }
  const silentAt = (look.sentAt.at(-1) ?? now) + sendingMs + waitMs + delayMs;
  const until = Math.max(silentAt, heard.waitsForClaim ? first + claimPatienceMs : -Infinity);
  return now < until ? { kind: 'wait', until } : { kind: 'add', findings: heard.findings };
}

/** By so much timers may be late. */
const timerMs = 2;

function isRepeating({ isRepeated = false, answers }: Look): boolean {
  return isRepeated && answers.length === 0;
}

function ask(question: LookQuestion, isFirst: boolean): Ask {
  const { ip, link, suspects, identities } = question;
  const to = suspects.flatMap((node) => macsOf(identities, node));
  const [, repeatMs, ...further] = scheduleFor(question).probesAt;
  const repeats = isFirst && repeatMs !== undefined && further.length === 0;
  return { ip, link, isFirst, to, ...(repeats && { repeatMs }) };
}
