/** What the wire says of an address that this node is to hold, or holds: the questions of `look-before-add`, put. */

import { familyOf, type Ip } from '../../model/ip.ts';
import type { ConflictCheck } from '../../model/pool.ts';
import { type Absence, findTakenFrom } from '../failover/absences.ts';
import { doubtOf } from '../failover/distrust-self.ts';
import type { AddressCase } from './address-decision.ts';
import { advanceLookMs } from './advance-look.ts';
import { pickControls } from './control-addresses.ts';
import type { Election } from './elect.ts';
import { type Clearance, lookBeforeAdd } from './look-before-add.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import { rankNodes } from './rank-nodes.ts';

export interface WireQuestion {
  readonly link: string;
  readonly election: Election;
  /** What was asked before then is asked again, and twice, whatever checks the user wants before first use. */
  readonly since?: number | undefined;
  /** The member that hands it over to this node. */
  readonly handedBy?: string | undefined;
  /** For how long a look in advance counts. */
  readonly aheadMs?: number;
}

/** What the wire is asked about. */
export type WireCase = Pick<AddressCase, 'ip' | 'slot' | 'terms'>;

export function askWire(
  address: WireCase,
  snapshot: NodeSnapshot,
  question: WireQuestion,
): Clearance {
  const { link, election, since, handedBy, aheadMs = advanceLookMs } = question;
  const { ip, slot, terms } = address;
  const { wire, node, now, self } = snapshot;
  const look = wire.looks.get(ip);
  const controls = findControls(address, snapshot);
  return lookBeforeAdd({
    me: node,
    ip,
    link,
    check: terms.pool?.conflictCheck ?? usualCheck,
    skipsCheck: skipsDad(address),
    slot,
    claims: wire.claims.get(ip) ?? new Set(),
    denied: wire.denied.get(ip) ?? new Map(),
    look,
    controls: controls.map((control) => ({ ip: control, look: wire.looks.get(control) })),
    proxies: wire.proxies,
    identities: wire.identities,
    handedBy,
    suspects: handedBy === undefined ? findSuspects(address, snapshot, question) : [handedBy],
    betterAskers: findBetterAskers(address, snapshot),
    askedAt: findLastAsked(ip, snapshot),
    doubtedAt: doubtOf(self.doubts, link)?.at,
    // Others may have taken over from a node that no longer hears from the cluster.
    aheadMs: self.isStale ? undefined : aheadMs,
    delayMs: findDelay(address, snapshot, election),
    since,
    now,
  });
}

/** Addresses to tell a proxy from a host with; none where nobody answered. */
export function findControls({ ip, terms }: WireCase, snapshot: NodeSnapshot): readonly Ip[] {
  const hasAnswer = (snapshot.wire.looks.get(ip)?.answers.length ?? 0) > 0;
  return hasAnswer ? pickControls(terms.range, snapshot.loadBalancers, ip) : [];
}

function findLastAsked(ip: Ip, { wire, node }: NodeSnapshot): number | undefined {
  const others = [...(wire.askedBy.get(ip) ?? [])].filter(([name]) => name !== node);
  return others.length === 0 ? undefined : Math.max(...others.map(([, at]) => at));
}

function findBetterAskers({ ip }: WireCase, { wire, node }: NodeSnapshot) {
  const asked = wire.askedBy.get(ip);
  if (asked === undefined) return undefined;
  const ranked = rankNodes(ip, [node, ...[...asked.keys()].filter((name) => name !== node)]);
  const better = new Set(ranked.slice(0, ranked.indexOf(node)));
  return new Map([...asked].filter(([name]) => better.has(name)));
}

/** Each that is better in rank, and silent, has a moment to show that it lives; the one that had the address is dead. */
function findDelay(
  { slot }: WireCase,
  { node, config }: NodeSnapshot,
  { candidates }: Election,
): number {
  const better = candidates.slice(
    0,
    candidates.findIndex((one) => one.node === node),
  );
  const doubtful = better.filter((one) => one.verdict === 'silent' && one.node !== slot?.node);
  return doubtful.length * (config?.failover.rankDelayMs ?? 0);
}

const mostHeirs = 2;

/**
 * Members that are asked by themselves, since with ARP suppression nobody else is reached: the one that is said to hold
 * it, those it was taken from while they were cut off, and those who were to take it and may have; where this node is
 * said to, those who would have taken over from it.
 */
function findSuspects(
  { ip, slot }: WireCase,
  snapshot: NodeSnapshot,
  { link, election: { candidates } }: WireQuestion,
): readonly string[] {
  const { wire, node } = snapshot;
  const named = [...(slot === undefined ? [] : [slot.node]), ...(wire.claims.get(ip) ?? [])];
  const others = candidates.filter((one) => one.node !== node && one.verdict === 'eligible');
  const heirs = slot?.node === node ? others.slice(0, mostHeirs).map((one) => one.node) : [];
  const back = findReturned(ip, link, snapshot).map((absence) => absence.node);
  const late = candidates.filter((one) => one.verdict === 'passedOver').map((one) => one.node);
  return [...new Set([...named, ...heirs, ...back, ...late])].filter((name) => name !== node);
}

/** Members that it was taken from while they were cut off, and that have not been asked for it since. */
export function findReturned(
  ip: Ip,
  link: string,
  { wire, self }: Pick<NodeSnapshot, 'wire' | 'self'>,
): readonly Absence[] {
  return findTakenFrom(wire.absences, link, self.verifiedAt.get(ip) ?? -Infinity);
}

const usualCheck: ConflictCheck = {
  mode: 'Quick',
  waitMs: 20,
  keepsKernelDad: false,
  quarantineMs: 0,
};

/** A wish of the group for IPv6 alone: it is about the kernel's duplicate address detection. */
export function skipsDad({ ip, terms }: Pick<AddressCase, 'ip' | 'terms'>): boolean {
  return familyOf(ip) === 'ipv6' && terms.pool?.skipsDad === true;
}
