/**
 * Who is believed to hold an address: what is in this kernel, before what the wire says, before the slot in the
 * annotation, which is written late and goes stale while the API server is away.
 */

import type { Slot } from '../../model/announcing.ts';
import type { Mac } from '../../model/mac.ts';
import type { Incumbent } from './elect.ts';
import type { Identities } from './identities.ts';

/** What came of asking on a link for an address. Times are ms on the monotonic clock. */
export interface Look {
  readonly link: string;
  /** When each probe was sent. */
  readonly sentAt: readonly number[];
  readonly answers: readonly Answer[];
  /** How long it took the last time to ask for all that were asked for together. */
  readonly sendingMs?: number;
  /** It is asked for once more without further decision, unless someone answers before. */
  readonly isRepeated?: boolean;
  /** Frames were lost, or the link was down meanwhile: silence proves nothing. */
  readonly isDeaf: boolean;
  /** The address was free when this look began: the agent looks at addresses before they are given out. */
  readonly isAhead?: boolean;
}

export interface Answer {
  readonly mac: Mac;
  readonly at: number;
}

/** What the wire said longer ago is asked again. */
export const lookFreshMs = 5000;

export function beginOf({ sentAt }: Look): number {
  return sentAt[0] ?? -Infinity;
}

export interface LookTerms {
  readonly look: Look | undefined;
  readonly link: string;
  /** One that began before then is none. */
  readonly since?: number | undefined;
  readonly now: number;
}

/** A look of another link, of long ago, or one that may have missed the answer, is none. */
export function usableLook({ look, link, now, since = -Infinity }: LookTerms): Look | undefined {
  if (look === undefined || look.link !== link || look.isDeaf) return undefined;
  if (beginOf(look) < since) return undefined;
  return now - (look.sentAt.at(-1) ?? -Infinity) < lookFreshMs ? look : undefined;
}

export interface HolderEvidence {
  readonly me: string;
  readonly isInMyKernel: boolean;
  readonly look: Look | undefined;
  readonly slot: Slot | undefined;
  /** Members that said they hold it, by announcing it on the wire. */
  readonly claims: ReadonlySet<string>;
  /** Members that said, when asked by themselves, that they do not, and when they were asked. */
  readonly denied: ReadonlyMap<string, number>;
  readonly identities: Identities;
  readonly now: number;
}

export function whoHolds(evidence: HolderEvidence): Incumbent | undefined {
  const { me, slot } = evidence;
  if (evidence.isInMyKernel) return { node: me, evidence: 'kernel' };
  return findAnsweringMember(evidence) ?? (slot && { node: slot.node, evidence: 'slot' });
}

/**
 * A member counts as holder only if it also says so: with `arp_ignore=0` a node answers for every address that IPVS
 * keeps on `kube-ipvs0`, though that link is down.
 */
function findAnsweringMember(evidence: HolderEvidence): Incumbent | undefined {
  const { look, identities, me, now } = evidence;
  const since = now - lookFreshMs;
  const fresh = (look?.answers ?? []).filter(({ at }) => now - at < lookFreshMs);
  const answering = fresh
    .toSorted((left, right) => right.at - left.at)
    .map(({ mac, at }) => ({ node: identities.get(mac), until: at + lookFreshMs }))
    .find(({ node }) => node !== undefined && node !== me && hasClaimed(node, evidence, since));
  if (answering?.node === undefined) return undefined;
  return { node: answering.node, evidence: 'wire', until: answering.until };
}

/** `since`: what it denied before then says nothing of now. */
export function hasClaimed(
  node: string,
  { slot, claims, denied }: Pick<HolderEvidence, 'slot' | 'claims' | 'denied'>,
  since: number,
): boolean {
  if (hasDenied(node, denied, since)) return false;
  return slot?.node === node || claims.has(node);
}

export function hasDenied(node: string, denied: HolderEvidence['denied'], since: number): boolean {
  return (denied.get(node) ?? -Infinity) >= since;
}
