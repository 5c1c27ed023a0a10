/** What the agent decided, as log lines: changes, not runs. */

import type { AddressDecision, ChangedDecisions } from '../decide/announcement/address-decision.ts';
import type { UnmarkedCopy } from '../decide/announcement/unmarked-copies.ts';
import type { PlacementReason } from '../model/placement-reasons.ts';
import type { Log } from '../runtime/log.ts';

const othersBusiness: ReadonlySet<PlacementReason> = new Set([
  'askingTheWire',
  'endpointsUnknown',
  'awaitingForwarding',
  'lostElection',
  'noLocalInterface',
  'heldByMember',
  'yielded',
  'verifying',
]);

export class DecisionLog {
  readonly #log: Log;
  readonly #last = new Map<string, { readonly text: string; readonly isHere: boolean }>();

  #unmarked: ReadonlySet<string> = new Set();

  constructor(log: Log) {
    this.#log = log;
  }

  note(decisions: readonly AddressDecision[]): void {
    const seen = new Set<string>(decisions.map(({ ip }) => ip));
    for (const ip of this.#last.keys()) if (!seen.has(ip)) this.#last.delete(ip);
    for (const decision of decisions) this.#noteOne(decision);
  }

  /** The same for some addresses: `former` is what was decided about them before. */
  noteSome({ decisions, former }: ChangedDecisions): void {
    const seen = new Set<string>(decisions.map(({ ip }) => ip));
    for (const { ip } of former) if (!seen.has(ip)) this.#last.delete(ip);
    for (const decision of decisions) this.#noteOne(decision);
  }

  /** Addresses on this node that PureLB did not put there. */
  noteUnmarked(copies: readonly UnmarkedCopy[]): void {
    const now = new Set(copies.map(({ ip, link }) => `${ip}@${link}`));
    for (const { ip, link } of copies) {
      if (this.#unmarked.has(`${ip}@${link}`)) continue;
      this.#log.warn('Address of a Service found that PureLB did not put there', {
        op: 'unmarkedAddress',
        ip,
        link,
      });
    }
    this.#unmarked = now;
  }

  #noteOne({ ip, services, outcome, reason, election, conflict, findings }: AddressDecision): void {
    const winner = election?.winner;
    const text = JSON.stringify([outcome.kind, reason, winner, conflict, findings]);
    const before = this.#last.get(ip);
    if (before?.text === text) return;
    const stays = outcome.kind === 'leave' && before?.isHere === true;
    const isHere = 'wanted' in outcome || stays;
    this.#last.set(ip, { text, isHere });
    const fields = { op: reason, ip, services, outcome: outcome.kind, winner, conflict, findings };
    // What another node holds is that node's to tell, on every one but the one that had it.
    if (othersBusiness.has(reason) && before?.isHere !== true) this.#log.debug('Decided', fields);
    else this.#log.info('Decided', fields);
  }
}
