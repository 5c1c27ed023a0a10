/**
 * Whom to ask by itself whether it holds an address: each member that answers for one that this node is asking the wire
 * for, and neither claims nor denies it. Its kernel answers for addresses that it does not hold where IPVS keeps them on a
 * link that is down; its agent knows. Who holds the address announces it, and who does not denies it. A member that
 * signs is asked whatever was announced in its name, and counts as having spoken when it has said so itself.
 */

import type { Ip } from '../../model/ip.ts';
import type { Mac } from '../../model/mac.ts';
import type { Identities } from '../announcement/identities.ts';
import type { WireView } from '../announcement/node-snapshot.ts';
import type { Look } from '../announcement/who-holds.ts';

/** All times are ms on the monotonic clock. */
export interface InquiryFacts {
  readonly me: string;
  readonly wire: Pick<
    WireView,
    'looks' | 'identities' | 'announced' | 'denied' | 'signers' | 'admitted'
  >;
  /** By `inquiryKey`, when it was last asked. */
  readonly askedAt: ReadonlyMap<string, number>;
  readonly now: number;
}

export interface Inquiry {
  readonly ip: Ip;
  readonly node: string;
  /** By which it answers. */
  readonly mac: Mac;
}

export interface InquiryPlan {
  readonly due: readonly Inquiry[];
  /** When one that has not said anything is asked again. */
  readonly wakeAt: number;
}

/** A packet may be lost. */
const againMs = 200;
/**
 * Questions in `againMs`, of all addresses together, beyond which none is repeated. A dead agent whose kernel still
 * answers leaves hundreds of addresses behind, and each would be asked for ten times in vain.
 */
const mostAtOnce = 10;
/** Who says nothing for so long has no agent that could. */
export const inquiryMs = 2_000;

export function inquiryKey({ ip, node }: Pick<Inquiry, 'ip' | 'node'>): string {
  return `${ip} ${node}`;
}

export function planInquiries(facts: InquiryFacts): InquiryPlan {
  const open = [...facts.wire.looks].flatMap(([ip, look]) => findOpen(ip, look, facts));
  const dueAt = (inquiry: Inquiry) =>
    (facts.askedAt.get(inquiryKey(inquiry)) ?? -Infinity) + againMs;
  const ready = open.filter((inquiry) => dueAt(inquiry) <= facts.now);
  const repeats = new Set(chooseRepeats(ready, dueAt, facts));
  const due = ready.filter((inquiry) => isFirst(dueAt(inquiry)) || repeats.has(inquiry));
  const later = open.map(dueAt).filter((at) => at > facts.now);
  return { due, wakeAt: Math.min(...later, ready.length > 0 ? facts.now + againMs : Infinity) };
}

function isFirst(dueAt: number): boolean {
  return dueAt === -Infinity;
}

/** Those that have waited longest, so that all of them get their turn. */
function chooseRepeats(
  ready: readonly Inquiry[],
  dueAt: (inquiry: Inquiry) => number,
  { askedAt, now }: InquiryFacts,
): readonly Inquiry[] {
  const recent = [...askedAt.values()].filter((at) => at + againMs > now).length;
  return ready
    .filter((inquiry) => !isFirst(dueAt(inquiry)))
    .toSorted((left, right) => dueAt(left) - dueAt(right))
    .slice(0, Math.max(0, mostAtOnce - recent));
}

function findOpen(ip: Ip, { sentAt, answers }: Look, facts: InquiryFacts): readonly Inquiry[] {
  const { wire, me, now } = facts;
  const [first = -Infinity] = sentAt;
  if (answers.length === 0 || now - first >= inquiryMs) return [];
  const members = membersOf(answers, wire.identities);
  return [...members]
    .filter(([node]) => node !== me && !hasSpoken(ip, node, first, facts))
    .map(([node, mac]) => ({ ip, node, mac }));
}

function membersOf(answers: Look['answers'], identities: Identities): ReadonlyMap<string, Mac> {
  return new Map(
    answers.flatMap(({ mac }) => {
      const node = identities.get(mac);
      return node === undefined ? [] : [[node, mac] as const];
    }),
  );
}

function hasSpoken(ip: Ip, node: string, since: number, { wire, now }: InquiryFacts): boolean {
  if ((wire.denied.get(ip)?.get(node) ?? -Infinity) >= since) return true;
  // One that holds it may be about to give it up, as this node waits for.
  const recently = Math.max(since, now - againMs + 1);
  if (wire.signers.has(node)) return (wire.admitted.get(ip)?.get(node) ?? -Infinity) >= recently;
  const said = wire.announced.get(ip);
  return said?.node === node && said.at >= since;
}
