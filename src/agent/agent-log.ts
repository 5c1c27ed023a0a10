/** What the agent's watches and decisions say, as log lines: changes, not runs. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { ReflectorObservation } from '../kube/reflector-observation.ts';
import type { Log } from '../runtime/log.ts';

export function logWatch(log: Log, what: string, observation: ReflectorObservation): void {
  switch (observation.kind) {
    case 'synced': {
      const { objects, by } = observation;
      log.info('Read all objects', { what, objects, by, ms: Math.round(observation.tookMs) });
      return;
    }
    case 'failed': {
      const { error, retryInMs } = observation;
      log.warn('Watch failed', { what, error, retryInMs: Math.round(retryInMs) });
      return;
    }
    case 'expired':
      log.info('Watch expired, reading everything again', { what });
      return;
    case 'unsupported':
      log.info('Server cannot stream initial states, reading pages', { what });
      return;
    case 'received':
    case 'ended':
      return;
    default:
      observation satisfies never;
  }
}

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
