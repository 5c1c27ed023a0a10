/**
 * Whether another host owns an address that this agent found in its kernel, judged without a view of the cluster: the
 * agent cannot tell members from strangers. The owner's agent announces an address when somebody asks for it, so an
 * announcement followed by a reply proves ownership. A reply alone may come from the kernel of an owner without an
 * agent, from IPVS or from a proxy.
 */

import type { Mac } from '../../model/mac.ts';
import type { Look } from './who-holds.ts';

export type Ownership =
  /** Nobody else replies. */
  | 'free'
  /** The question may not have reached everyone, or the reply was lost. */
  | 'unheard'
  /** Another host replies and does not announce it. */
  | 'answered'
  /** Another host announces it and replies. */
  | 'owned';

export interface AdoptedFacts {
  readonly look: Look | undefined;
  /** When each MAC last announced the address, in ms on the monotonic clock. */
  readonly announcedAt: ReadonlyMap<Mac, number>;
  readonly ownMacs: ReadonlySet<Mac>;
  /** MACs that reply for addresses that nobody has. */
  readonly proxies: ReadonlySet<Mac>;
  /** The address is also on a link that PureLB does not use, as IPVS keeps it on every node: any member may reply. */
  readonly isOnEveryNode: boolean;
}

export interface AdoptedVerdict {
  readonly ownership: Ownership;
  /** The other host; undefined if there is none. */
  readonly mac?: Mac;
}

/** A successor announces what it took at 0, 0.2, 1.2 and 3 s. */
const announcedWithinMs = 3_000;

export function judgeAdopted(facts: AdoptedFacts): AdoptedVerdict {
  const { look, announcedAt, isOnEveryNode } = facts;
  if (look === undefined) return { ownership: 'unheard' };
  const repliers = findRepliers(look, facts);
  const [askedAt = Infinity] = look.sentAt;
  const owner = repliers.find(
    (mac) => (announcedAt.get(mac) ?? -Infinity) >= askedAt - announcedWithinMs,
  );
  if (owner !== undefined) return { ownership: 'owned', mac: owner };
  const [replier] = isOnEveryNode ? [] : repliers;
  if (replier !== undefined) return { ownership: 'answered', mac: replier };
  return { ownership: look.isDeaf ? 'unheard' : 'free' };
}

/** Hosts that reply, other than this node and known proxies. */
export function findRepliers(
  { answers }: Look,
  { ownMacs, proxies }: Pick<AdoptedFacts, 'ownMacs' | 'proxies'>,
): readonly Mac[] {
  const macs = new Set(answers.map(({ mac }) => mac));
  return [...macs].filter((mac) => !ownMacs.has(mac) && !proxies.has(mac));
}
