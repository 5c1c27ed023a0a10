/**
 * What becomes of an address that this node has in its kernel and is to hold. It stays as it is as long as nothing
 * speaks against that; where the node may have missed something, or another member claims it, the wire is asked.
 */

import { doubtOf } from '../failover/distrust-self.ts';
import { judgeRival } from '../failover/judge-rival.ts';
import { proveRival } from '../failover/prove-rival.ts';
import { type AddressCase, absent, leave, type Verdict } from './address-decision.ts';
import { askWire, findReturned } from './ask-wire.ts';
import type { Election } from './elect.ts';
import { isExtensionDue } from './lifetime-promise.ts';
import type { Clearance } from './look-before-add.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import { lookFreshMs } from './who-holds.ts';

export interface Hold {
  readonly link: string;
  readonly election: Election;
  /** As it is while nothing speaks against it. */
  readonly placed: Verdict;
}

export function holdOn(address: AddressCase, snapshot: NodeSnapshot, hold: Hold): Verdict {
  const question = findQuestion(address, snapshot, hold);
  if (question === undefined) return hold.placed;
  const { link, election } = hold;
  const { since, until = -Infinity } = question;
  // Nobody answers anything: silence would verify what others have taken long ago.
  if (snapshot.now < until) return { ...leave('verifying'), wakeAt: until };
  const clearance = askWire(address, snapshot, { link, election, since });
  return follow(clearance, address, snapshot, { ...hold, ...question });
}

/** Why the wire is to be asked, and how old an answer may be. */
interface Question {
  readonly since: number;
  /** Nothing is refreshed or announced meanwhile: somebody else may rightly hold it. */
  readonly isDoubtful: boolean;
  /** Nothing is refreshed before the answer, though nothing speaks against this node's ownership. */
  readonly isForExtension?: boolean;
  /** Asking is of no use before then. */
  readonly until?: number | undefined;
}

/** How often the other is asked for: two holders are to be one again within moments of hearing each other. */
const rivalEveryMs = 1000;

function findQuestion(
  address: AddressCase,
  snapshot: NodeSnapshot,
  { link, election }: Hold,
): Question | undefined {
  const { ip } = address;
  const { self, wire, now } = snapshot;
  const since = self.verifiedAt.get(ip) ?? -Infinity;
  const doubt = doubtOf(self.doubts, link);
  if (doubt !== undefined && doubt.at > since) {
    return { since: doubt.at, isDoubtful: true, until: doubt.until };
  }
  const backAt = findReturned(ip, link, snapshot).map(({ to }) => to);
  if (backAt.length > 0) return { since: Math.max(...backAt), isDoubtful: false };
  const claimedAt = wire.announced.get(ip)?.at ?? -Infinity;
  const isContested = claimedAt > since || hasRival(address, snapshot, election);
  const isForExtension = isQuestionDue(snapshot) && since < now - lookFreshMs;
  if (isContested) return { since: now - rivalEveryMs, isDoubtful: false, isForExtension };
  return isForExtension
    ? { since: now - lookFreshMs, isDoubtful: false, isForExtension }
    : undefined;
}

/** The dead-man's switch: without a current view of the cluster the agent asks the wire before it extends a lifetime. */
function isQuestionDue({ self, held, config, now }: NodeSnapshot): boolean {
  const validSeconds = config?.localLifetime.validSeconds ?? Infinity;
  return self.isStale && isExtensionDue({ held, validSeconds, promise: self.promise, now });
}

/** The slot names another member, and nothing is known against it: after a partition, or a race, both may hold it. */
function hasRival(
  { slot }: AddressCase,
  { node }: NodeSnapshot,
  { candidates }: Election,
): boolean {
  if (slot === undefined || slot.node === node) return false;
  const rival = candidates.find((candidate) => candidate.node === slot.node);
  return rival?.verdict === 'eligible';
}

function follow(
  clearance: Clearance,
  address: AddressCase,
  snapshot: NodeSnapshot,
  { isDoubtful, isForExtension = false, ...hold }: Hold & Question,
): Verdict {
  const { wire, now } = snapshot;
  const { placed } = hold;
  const isOpen = (isDoubtful || isForExtension) && !isAboutStranger(clearance);
  const meanwhile = isOpen ? leave('verifying') : placed;
  const verified = {
    ...placed,
    // Who claims it after the last question was not asked.
    verifiedAt: wire.looks.get(address.ip)?.sentAt.at(-1) ?? now,
    wakeAt: now + rivalEveryMs,
  };
  switch (clearance.kind) {
    case 'ask':
      return { ...meanwhile, asks: clearance.asks };
    case 'wait':
      return { ...meanwhile, wakeAt: clearance.until };
    case 'heldByMember':
      return meetRival(clearance, address, snapshot, { ...hold, isDoubtful });
    case 'add':
    case 'handed': {
      const { findings } = clearance;
      return { ...verified, ...(findings.length > 0 && { findings }) };
    }
    // A stranger is reported, and answered: what it says moves nothing.
    case 'conflict':
      return { ...verified, conflict: { mac: clearance.mac, link: hold.link } };
    default:
      return clearance satisfies never;
  }
}

/** What a stranger says moves nothing: the address is kept alive while it is found out who that is. */
function isAboutStranger(clearance: Clearance): boolean {
  return (
    (clearance.kind === 'ask' || clearance.kind === 'wait') && clearance.isAboutStranger === true
  );
}

/** How often it is said as long as both hold it. */
const insistEveryMs = 250;

function meetRival(
  { node: rival, until }: Clearance & { readonly kind: 'heldByMember' },
  { ip, slot }: AddressCase,
  { node, self, wire, now }: NodeSnapshot,
  { placed, isDoubtful, election }: Hold & Pick<Question, 'isDoubtful'>,
): Verdict {
  const isWeak = isDoubtful || self.isLapsed;
  const proof = proveRival({ ip, rival, isWeak }, wire, now);
  // Nothing is announced meanwhile, nor given up: the rival's own word is on its way, or will not come.
  if (proof === 'awaited' && isDoubtful)
    return { ...leave('verifying'), wakeAt: now + proofEveryMs };
  const mayYield = proof === 'given';
  const since = self.contestedSince.get(ip) ?? Infinity;
  const verdict = judgeRival({
    ip,
    me: node,
    rival,
    isDoubtful: isWeak,
    slot: slot?.node,
    isBlind: self.isBlind || hasExpired(rival, election),
    isUnaware: self.confirmedAt < since,
    insistsMs: (wire.announced.get(ip)?.at ?? 0) - since,
  });
  if (mayYield && verdict === 'yield') return { ...absent('yielded'), yields: true };
  // Whoever is about to yield does not have the last word with clients.
  const isAwaited = verdict === 'yield' && wire.signers.has(rival);
  if (isAwaited) return { ...placed, wakeAt: now + proofEveryMs };
  return { ...placed, wakeAt: Math.min(until, now + insistEveryMs), defends: true };
}

/** A question by UDP is answered in milliseconds; a packet may be lost. */
const proofEveryMs = 50;

/** Who cannot renew its Lease goes by rank, since what it knows of slots may be old: so whoever it meets must, too. */
function hasExpired(rival: string, { candidates }: Election): boolean {
  return candidates.some(({ node, verdict }) => node === rival && verdict === 'leaseExpired');
}

/** Longer than any look takes. */
const lookBackMs = 2000;

/**
 * An address that was just given up to another member: whether that one still answers, now that this one does not. If
 * it has given it up as well, nobody would have it. Undefined: there is nothing to look back to. `lost`: the verdict
 * while that member answers.
 */
export function lookBack(
  address: AddressCase,
  snapshot: NodeSnapshot,
  { link, election, placed, lost }: Hold & { readonly lost: Verdict },
): Verdict | undefined {
  const { node, self, now } = snapshot;
  const yieldedAt = self.yieldedAt.get(address.ip) ?? -Infinity;
  const isAble = election.candidates.some((one) => one.node === node && one.verdict === 'eligible');
  if (!isAble || now - yieldedAt > lookBackMs) return undefined;
  const clearance = askWire(address, snapshot, { link, election, since: yieldedAt });
  if (clearance.kind === 'ask') return { ...absent('yielded'), asks: clearance.asks };
  if (clearance.kind === 'wait') return { ...absent('yielded'), wakeAt: clearance.until };
  if (clearance.kind === 'heldByMember') {
    return { ...lost, wakeAt: Math.min(clearance.until, lost.wakeAt ?? Infinity) };
  }
  if (clearance.kind !== 'add') return undefined;
  const { findings } = clearance;
  return { ...placed, verifiedAt: now, ...(findings.length > 0 && { findings }) };
}
