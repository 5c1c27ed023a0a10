/**
 * What an agent that cannot read the cluster does with an address that another host also claims. Frames can be forged,
 * so an agent with a peer key yields only to the signed word of a peer that owns the address. A successor cannot sign
 * if it has no key, or if its packets do not arrive: claims without a signature are believed once they have lasted for
 * `unsignedMs`, as an agent without a key believes them at once.
 */

import type { Mac } from '../../model/mac.ts';
import type { AdoptedVerdict } from './judge-adopted.ts';

/** A signed statement of a peer that it has the address. Times are ms on the monotonic clock. */
export interface SignedWord {
  readonly node: string;
  /** The peer has no reason to doubt that it should own the address. */
  readonly isSure: boolean;
  /** When the peer was asked. */
  readonly askedAt: number;
}

export interface Contest {
  readonly me: string;
  readonly ownMac: Mac;
  /** What the frames say. */
  readonly verdict: AdoptedVerdict;
  /** When another host was first found to announce the address and to reply. */
  readonly ownedSince: number;
  /** When another host was first found to reply. */
  readonly claimedSince: number;
  /** Undefined: this agent has no key. */
  readonly words: readonly SignedWord[] | undefined;
  readonly now: number;
}

export type Settlement =
  /** The address is removed from this node. */
  | 'yield'
  /** The lifetime is not extended, and the wire is asked again. */
  | 'wait'
  /** The lifetime is extended: nobody proved the claim. */
  | 'keep'
  /** Nobody else claims the address. */
  | 'uncontested';

/** How long a claim without a signature must last before an agent with a key believes it. */
export const unsignedMs = 60_000;
/** As long as owners rely on the signed word of a rival. */
const wordMs = 3_000;
/** By then a peer that can read the cluster has become sure of the address, or has yielded. */
const doubtMs = 3_000;

export function settleContest(contest: Contest): Settlement {
  const { verdict, words, claimedSince, now } = contest;
  if (words !== undefined && hasProof(words, contest)) return 'yield';
  if (verdict.ownership === 'free') return 'uncontested';
  if (verdict.ownership === 'unheard') return 'wait';
  if (words !== undefined && now - claimedSince < unsignedMs) return 'keep';
  return verdict.ownership === 'owned' && mustYield(contest) ? 'yield' : 'wait';
}

/** Two agents that both cannot read the cluster are both unsure: the one with the greater name yields. */
function hasProof(
  words: readonly SignedWord[],
  { me, claimedSince, now }: Pick<Contest, 'me' | 'claimedSince' | 'now'>,
): boolean {
  const recent = words.filter(({ askedAt }) => now - askedAt < wordMs);
  const isOld = now - claimedSince >= doubtMs;
  return recent.some(({ isSure, node }) => isSure || (isOld && node < me));
}

/** How long the node with the lower MAC waits for the other one to give the address up. */
const patienceMs = 500;

/**
 * Two agents that both cannot read the cluster hear each other and must not both give the address up: the one with the
 * higher MAC does so at once, and the other asks again first.
 */
function mustYield({ ownMac, verdict: { mac }, ownedSince, now }: Contest): boolean {
  return mac !== undefined && (ownMac > mac || now - ownedSince >= patienceMs);
}
