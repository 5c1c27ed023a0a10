/** What the agent decided, as log lines: changes, not runs. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { Log } from '../runtime/log.ts';

export class DecisionLog {
  readonly #log: Log;
  readonly #last = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  note(decisions: readonly AddressDecision[]): void {
    const seen = new Set<string>(decisions.map(({ ip }) => ip));
    for (const ip of this.#last.keys()) if (!seen.has(ip)) this.#last.delete(ip);
    for (const decision of decisions) this.#noteOne(decision);
  }

  #noteOne({ ip, services, outcome, reason, election, conflict, findings }: AddressDecision): void {
    const winner = election?.winner;
    const text = JSON.stringify([outcome.kind, reason, winner, conflict, findings]);
    if (this.#last.get(ip) === text) return;
    this.#last.set(ip, text);
    const fields = { op: reason, ip, services, outcome: outcome.kind, winner, conflict, findings };
    if (reason === 'askingTheWire') this.#log.debug('Decided', fields);
    else this.#log.info('Decided', fields);
  }
}
