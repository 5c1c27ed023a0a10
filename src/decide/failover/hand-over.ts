/**
 * A holder gives an address to another member without a packet lost. It names the successor in its Lease; the successor
 * adds the address and announces it; the holder asks for it by a frame to the successor's MAC, serves on for a while,
 * asks again, and only then lets go. Whatever goes wrong before, the address stays where it is.
 */

import type { Ip } from '../../model/ip.ts';
import type { MoveCause } from '../../model/placement-reasons.ts';
import { type Identities, macsOf } from '../announcement/identities.ts';
import type { Ask } from '../announcement/look-before-add.ts';
import type { Look } from '../announcement/who-holds.ts';

/** Of one address that this node holds; times are ms on the monotonic clock. */
export interface HandingOver {
  readonly role: 'holder';
  readonly cause: MoveCause;
  /** Undefined: nobody that could take it is left; it is tried again. */
  readonly to: string | undefined;
  /** When this successor was chosen. */
  readonly chosenAt: number;
  readonly phase: HandingPhase;
  /** Members that did not take it, and until when they are passed over. */
  readonly failed: ReadonlyMap<string, number>;
}

export type HandingPhase =
  /** Our Lease does not say so yet. */
  | { readonly kind: 'naming' }
  | { readonly kind: 'named'; readonly since: number }
  /** It answers: both serve, since it said so. From here there is no way back but its silence. */
  | { readonly kind: 'overlap'; readonly since: number; readonly askingSince?: number };

export interface MoveWish {
  readonly cause: MoveCause;
  /** Best first; all of them speak the protocol. */
  readonly successors: readonly string[];
}

export interface HandoverFacts {
  readonly ip: Ip;
  /** Where this node has it. */
  readonly link: string;
  /** Undefined: it is to stay. */
  readonly wish: MoveWish | undefined;
  readonly before: HandingOver | undefined;
  /** Whom our own Lease names for it, as the others can read it. */
  readonly named: string | undefined;
  /** False: a newer process on this node writes it. */
  readonly isLeaseOurs: boolean;
  /** Another live member that the slot names. */
  readonly taker: string | undefined;
  /** Which member announced it last. */
  readonly announced: { readonly node: string; readonly at: number } | undefined;
  readonly look: Look | undefined;
  readonly identities: Identities;
  readonly overlapMs: number;
  /** How long a successor may take. */
  readonly timeoutMs: number;
  readonly now: number;
}

export type HandoverStep =
  /** Nothing to hand over, or no longer: then neighbours that heard someone else are told anew. */
  | { readonly kind: 'stay'; readonly announces: boolean }
  | {
      readonly kind: 'serve';
      readonly state: HandingOver;
      readonly asks: readonly Ask[];
      readonly wakeAt: number;
    }
  | { readonly kind: 'release'; readonly to: string; readonly cause: MoveCause }
  | { readonly kind: 'leave' };

/** Frames may be lost: what is not answered is asked again so soon. */
const askAgainMs = 100;
/** An answer is believed for so long: who takes longer to act on it asks again. */
const answerFreshMs = 400;
/** Frames are stamped by another clock of the kernel, and ours is compared with it by two readings. */
const clockErrorMs = 1;
/** How long after the overlap a successor may fail to answer. */
const lastWordMs = 500;
/** A member that did not take it is not asked again so soon. */
const passOverMs = 30_000;

export function handOver(facts: HandoverFacts): HandoverStep {
  const { before } = facts;
  const wish = facts.wish ?? goOn(facts);
  if (before?.phase.kind === 'overlap' && before.to !== undefined) {
    return finish({ ...facts, wish }, before, before.phase, before.to);
  }
  if (wish === undefined) return { kind: 'stay', announces: before?.phase.kind === 'named' };
  const failed = before?.failed ?? new Map<string, number>();
  return proceed(facts, wish, choose(facts, wish, { failed, late: findLate(facts, failed) }));
}

/** Who takes an address may take off the wish for it as well, before its holder has let go. */
function goOn({ before, taker }: HandoverFacts): MoveWish | undefined {
  const isTaken = taker !== undefined && before?.to === taker;
  return isTaken ? { cause: before.cause, successors: [taker] } : undefined;
}

/**
 * Who is named stays named while it may still come, whoever else would do. Who has the slot has taken the address,
 * whether it is still named or not: of two holders the one in the slot stays, and nobody else can take it meanwhile.
 */
function choose(
  facts: HandoverFacts,
  { cause, successors }: MoveWish,
  { failed: failures, late }: PassedOver,
): HandingOver {
  const { before, taker, now } = facts;
  const failed = new Map([...failures].filter(([, until]) => until > now));
  const able = successors.filter((node) => !failed.has(node));
  const to = taker ?? late?.node ?? able.find((node) => node === before?.to) ?? able[0];
  const isSame = before !== undefined && to === before.to && before.phase.kind !== 'overlap';
  if (isSame) return { ...before, cause, failed };
  const isTaken = taker !== undefined || late !== undefined;
  const phase: HandingPhase = isTaken ? { kind: 'named', since: now } : { kind: 'naming' };
  const chosenAt = taker === undefined ? (late?.at ?? now) : now;
  return { role: 'holder', cause, to, chosenAt, phase, failed };
}

interface PassedOver {
  readonly failed: ReadonlyMap<string, number>;
  /** One of them that came after all, and when. */
  readonly late?: HandoverFacts['announced'];
}

/**
 * A successor that the owner has given up reads of its offer late, and acts on it: it announces the address after that.
 * The owner cannot take the offer back in time, so it completes this move in place of the next one.
 */
function findLate(
  { announced }: HandoverFacts,
  failed: ReadonlyMap<string, number>,
): HandoverFacts['announced'] {
  if (announced === undefined) return undefined;
  const until = failed.get(announced.node) ?? Infinity;
  return announced.at >= until - passOverMs ? announced : undefined;
}

function proceed(facts: HandoverFacts, wish: MoveWish, state: HandingOver): HandoverStep {
  const { named, now, timeoutMs } = facts;
  const { to, phase } = state;
  // Nobody is left: those that failed are tried anew after a while.
  if (to === undefined) return serve(state, { wakeAt: Math.min(...state.failed.values()) });
  if (phase.kind === 'naming') {
    if (named !== to) return serve(state);
    return proceed(facts, wish, { ...state, phase: { kind: 'named', since: now } });
  }
  const deadline = to === facts.taker ? Infinity : phase.since + timeoutMs;
  if (now >= deadline) return passOver(facts, wish, state, to);
  // An answer alone is no evidence: with `arp_ignore=0` a node answers for what IPVS keeps on a link that is down.
  if (!hasClaimed(to, state.chosenAt, facts)) return serve(state, { wakeAt: deadline });
  if (answeredSince(state.chosenAt, to, facts) === undefined) {
    return askOrWait(facts, state, to, deadline);
  }
  const since = Math.min(announcedAt(to, state.chosenAt, facts) ?? now, now);
  return serve(
    { ...state, phase: { kind: 'overlap', since } },
    { wakeAt: since + facts.overlapMs },
  );
}

type Overlap = HandingPhase & { readonly kind: 'overlap' };

function finish(
  facts: HandoverFacts,
  state: HandingOver,
  phase: Overlap,
  to: string,
): HandoverStep {
  const { now, overlapMs, isLeaseOurs, wish } = facts;
  const overAt = phase.since + overlapMs;
  if (now < overAt) return serve(state, { wakeAt: overAt });
  const askedAt = answeredSince(overAt, to, facts);
  const isAnswered = askedAt !== undefined && now - askedAt <= answerFreshMs;
  if (isAnswered)
    return isLeaseOurs ? { kind: 'release', to, cause: state.cause } : { kind: 'leave' };
  // It answered while this process stood still: that was long ago, and is no silence either.
  const askingSince = askedAt === undefined ? (phase.askingSince ?? now) : now;
  const deadline = askingSince + lastWordMs;
  if (now < deadline) {
    return askOrWait(facts, { ...state, phase: { ...phase, askingSince } }, to, deadline);
  }
  // It does not have it after all: the address is still here, and someone else may be better.
  return wish === undefined ? { kind: 'stay', announces: true } : passOver(facts, wish, state, to);
}

function passOver(
  facts: HandoverFacts,
  wish: MoveWish,
  { failed }: HandingOver,
  to: string,
): HandoverStep {
  const failures = new Map([...failed, [to, facts.now + passOverMs]]);
  return proceed(facts, wish, choose(facts, wish, { failed: failures }));
}

function serve(
  state: HandingOver,
  { asks = [], wakeAt = Infinity }: { asks?: readonly Ask[]; wakeAt?: number } = {},
): HandoverStep {
  return { kind: 'serve', state, asks, wakeAt };
}

function askOrWait(
  { ip, link, look, identities, now }: HandoverFacts,
  state: HandingOver,
  to: string,
  until: number,
): HandoverStep {
  const askedAt = look?.sentAt.at(-1) ?? -Infinity;
  const since = state.phase.kind === 'overlap' ? state.phase.askingSince : state.chosenAt;
  const isWaiting =
    askedAt >= (since ?? now) && now < askedAt + askAgainMs && look?.isDeaf === false;
  if (isWaiting) return serve(state, { wakeAt: Math.min(askedAt + askAgainMs, until) });
  const ask: Ask = { ip, link, isFirst: true, to: macsOf(identities, to), isPrivate: true };
  return serve(state, { asks: [ask], wakeAt: Math.min(now + askAgainMs, until) });
}

function hasClaimed(to: string, since: number, facts: HandoverFacts): boolean {
  return facts.taker === to || announcedAt(to, since, facts) !== undefined;
}

/** When the neighbours heard of it; its slot does not say that. */
function announcedAt(to: string, since: number, { announced }: HandoverFacts): number | undefined {
  return announced?.node === to && announced.at >= since ? announced.at : undefined;
}

/** When it was asked what it answered; undefined: it did not, or not to a question that was sent so late. */
function answeredSince(
  since: number,
  node: string,
  { look, link, identities }: HandoverFacts,
): number | undefined {
  const askedAt = look?.sentAt[0];
  if (look === undefined || askedAt === undefined) return undefined;
  if (look.isDeaf || look.link !== link || askedAt < since) return undefined;
  const isAnswered = look.answers.some(
    ({ mac, at }) => at >= askedAt - clockErrorMs && identities.get(mac) === node,
  );
  return isAnswered ? askedAt : undefined;
}
