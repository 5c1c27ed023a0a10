/** Whom the network showed to have our addresses, in the words that decisions are made by. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { conflictRestMs } from '../decide/announcement/conflict-rest.ts';
import {
  type Acquaintances,
  type Identities,
  identitiesOf,
  remember,
} from '../decide/announcement/identities.ts';
import type { WireView } from '../decide/announcement/node-snapshot.ts';
import type { Ip } from '../model/ip.ts';
import type { Mac } from '../model/mac.ts';
import type { Claim, Sayings, WireEar } from './wire-ear.ts';

interface Sighting {
  readonly mac: Mac | undefined;
  readonly at: number;
}

/** By those who ask others whether they live. */
type Observed = Pick<WireView, 'silent' | 'orphans' | 'seen' | 'passedOver'>;

export class WireMemory {
  readonly #conflicts = new Map<Ip, Sighting>();
  readonly #proxies = new Set<Mac>();
  #acquaintances: Acquaintances | undefined;

  view(
    ear: WireEar,
    current: Identities,
    { silent, orphans, seen, passedOver }: Observed,
    now: number,
  ): WireView {
    this.#acquaintances = remember(current, this.#acquaintances, now);
    const identities = identitiesOf(this.#acquaintances);
    for (const [ip, { at }] of this.#conflicts) {
      if (now - at >= conflictRestMs) this.#conflicts.delete(ip);
    }
    return {
      looks: ear.looks,
      ...claimsOf(ear.announcements, identities),
      askedBy: askersOf(ear.probes, identities),
      identities,
      silent,
      orphans,
      seen,
      passedOver,
      proxies: this.#proxies,
      conflicts: this.#conflicts,
    };
  }

  noteConflict(ip: Ip, mac: Mac | undefined, at: number): void {
    this.#conflicts.set(ip, { mac, at });
  }

  noteDecisions(decisions: readonly AddressDecision[], now: number): void {
    for (const { ip, conflict, findings = [] } of decisions) {
      if (conflict !== undefined) this.noteConflict(ip, conflict.mac, now);
      for (const finding of findings) {
        if (finding.kind === 'proxyArp') this.#proxies.add(finding.mac);
      }
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

/** Of members that told it unasked: an answer alone claims nothing. */
function claimsOf(
  announcements: Sayings,
  identities: Identities,
): Pick<WireView, 'claims' | 'announced'> {
  const claims = new Map<Ip, ReadonlySet<string>>();
  const announced = new Map<Ip, { readonly node: string; readonly at: number }>();
  for (const [ip, times] of announcements) {
    const members = [...times].flatMap(([mac, at]) => {
      const node = identities.get(mac);
      return node === undefined ? [] : [{ node, at }];
    });
    const [last] = members.toSorted((left, right) => right.at - left.at);
    if (last === undefined) continue;
    claims.set(ip, new Set(members.map(({ node }) => node)));
    announced.set(ip, last);
  }
  return { claims, announced };
}

function askersOf(probes: Sayings, identities: Identities): WireView['askedBy'] {
  return new Map(
    [...probes].map(([ip, times]) => {
      const members = [...times].flatMap(([mac, at]): [string, number][] => {
        const node = identities.get(mac);
        return node === undefined ? [] : [[node, at]];
      });
      return [ip, new Map(members)];
    }),
  );
}
