/** Whom the network showed to have our addresses, in the words that decisions are made by. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { believeClaims, type MemberTimes } from '../decide/announcement/believe-claims.ts';
import { conflictRestMs } from '../decide/announcement/conflict-rest.ts';
import {
  type Acquaintances,
  type Identities,
  identitiesOf,
  remember,
} from '../decide/announcement/identities.ts';
import type { WireView } from '../decide/announcement/node-snapshot.ts';
import { type ConflictFacts, reportConflicts } from '../decide/announcement/report-conflicts.ts';
import type { Conflict } from '../model/conflict.ts';
import type { Ip } from '../model/ip.ts';
import type { Mac } from '../model/mac.ts';
import type { Answers } from './inquiries.ts';
import type { Claim, Sayings } from './sayings.ts';
import type { WireEar } from './wire-ear.ts';

interface Sighting {
  readonly mac: Mac | undefined;
  readonly at: number;
}

/** By those who ask others whether they live, and what they hold. */
type Observed = Pick<WireView, 'silent' | 'absences' | 'orphans' | 'seen' | 'passedOver'> & {
  readonly answers: Answers;
  /** Members that prove what they say. */
  readonly signers: ReadonlySet<string>;
};

/** Far more than a LAN has routers; a host may answer for everything with as many MACs as it likes. */
const mostProxies = 64;

export class WireMemory {
  readonly #conflicts = new Map<Ip, Sighting>();
  readonly #proxies = new Set<Mac>();
  #acquaintances: Acquaintances | undefined;
  #reports: readonly Conflict[] = [];

  view(
    ear: WireEar,
    current: Identities,
    { answers, signers, ...watched }: Observed,
    now: number,
  ): WireView {
    this.#acquaintances = remember(current, this.#acquaintances, now);
    const identities = identitiesOf(this.#acquaintances);
    for (const [ip, { at }] of this.#conflicts) {
      if (now - at >= conflictRestMs) this.#conflicts.delete(ip);
    }
    const { denials, admissions, affirmed, unanswered } = answers;
    const announcements = membersOf(ear.announcements, identities);
    return {
      looks: ear.looks,
      ...believeClaims({ announcements, denials, admissions, signers }),
      signers,
      affirmed,
      admitted: admissions,
      unanswered,
      askedBy: membersOf(ear.probes, identities),
      identities,
      ...watched,
      proxies: this.#proxies,
      conflicts: this.#conflicts,
    };
  }

  /** What changed about some addresses since `kept` was taken; of others it says nothing. */
  viewSome(
    ear: WireEar,
    kept: WireView,
    { answers, passedOver }: Pick<Observed, 'answers' | 'passedOver'>,
    ips: ReadonlySet<Ip>,
  ): WireView {
    const { identities, signers } = kept;
    const { denials, admissions, affirmed, unanswered } = answers;
    const announcements = membersOf(pick(ear.announcements, ips), identities);
    return {
      ...kept,
      looks: ear.looks,
      ...believeClaims({ announcements, denials, admissions, signers }),
      affirmed,
      admitted: admissions,
      unanswered,
      askedBy: membersOf(pick(ear.probes, ips), identities),
      passedOver,
    };
  }

  /** What this node's Lease is to say of conflicts. */
  get reports(): readonly Conflict[] {
    return this.#reports;
  }

  noteReports(facts: Omit<ConflictFacts, 'conflicts'>): void {
    this.#reports = reportConflicts({ ...facts, conflicts: this.#conflicts }, this.#reports);
  }

  noteConflict(ip: Ip, mac: Mac | undefined, at: number): void {
    this.#conflicts.set(ip, { mac, at });
  }

  /** Which routers were found just now to answer for every address; none where there are more than can be told. */
  noteDecisions(decisions: readonly AddressDecision[], now: number): ReadonlySet<Mac> {
    for (const { ip, conflict } of decisions) {
      if (conflict !== undefined) this.noteConflict(ip, conflict.mac, now);
    }
    const found = decisions.flatMap(({ findings = [] }) =>
      findings.flatMap((finding) => (finding.kind === 'proxyArp' ? [finding.mac] : [])),
    );
    return this.noteProxies(found);
  }

  /** Of these, the ones that were not known, as `noteDecisions` tells them. */
  noteProxies(found: readonly Mac[]): ReadonlySet<Mac> {
    const news = new Set(found.filter((mac) => !this.#proxies.has(mac)));
    const isFull = this.#proxies.size >= mostProxies;
    for (const mac of news) this.#noteProxy(mac);
    return isFull ? new Set() : news;
  }

  /** What it said was never a conflict. */
  #noteProxy(mac: Mac): void {
    const [first] = this.#proxies;
    if (this.#proxies.size >= mostProxies && first !== undefined) this.#proxies.delete(first);
    this.#proxies.add(mac);
    for (const [ip, conflict] of this.#conflicts) {
      if (conflict.mac === mac) this.#conflicts.delete(ip);
    }
  }

  /** Strangers that claim what this node holds; of those that are new, the addresses. */
  noteStrangers(
    held: ReadonlySet<Ip>,
    claims: ReadonlyMap<Ip, Claim>,
    identities: Identities,
  ): readonly Ip[] {
    const found: Ip[] = [];
    for (const [ip, { mac, at }] of claims) {
      const isKnown = identities.has(mac) || this.#proxies.has(mac) || !held.has(ip);
      if (isKnown || this.#conflicts.get(ip)?.at === at) continue;
      this.noteConflict(ip, mac, at);
      found.push(ip);
    }
    return found;
  }
}

function pick<T>(all: ReadonlyMap<Ip, T>, ips: ReadonlySet<Ip>): ReadonlyMap<Ip, T> {
  const picked = new Map<Ip, T>();
  for (const ip of ips) {
    const value = all.get(ip);
    if (value !== undefined) picked.set(ip, value);
  }
  return picked;
}

/** What strangers said is left out. */
function membersOf(sayings: Sayings['times'], identities: Identities): MemberTimes {
  return new Map([...sayings].map(([ip, times]) => [ip, latestByMember(times, identities)]));
}

/** One that has several cards speaks with each of them. */
function latestByMember(
  times: ReadonlyMap<Mac, number>,
  identities: Identities,
): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const [mac, at] of times) {
    const node = identities.get(mac);
    if (node !== undefined) latest.set(node, Math.max(at, latest.get(node) ?? -Infinity));
  }
  return latest;
}
