/** Notes of a pass as Events on the BGPConfiguration, each when it is news. */

import type { BgpRecord } from '../decide/advertisement/bgp-record.ts';
import { describeProblems } from '../decide/advertisement/choose-bgp-config.ts';
import type { SessionNote } from '../decide/advertisement/resolve-sessions.ts';
import { keyOf } from '../model/identity.ts';
import { eventReasons } from '../model/reasons.ts';
import type { BgpSetup } from './bgp-setup.ts';

type Identity = NonNullable<BgpRecord['choice']['chosen']>['identity'];

export class NoteTeller {
  readonly #setup: Pick<BgpSetup, 'events' | 'log' | 'node'>;
  #told = new Set<string>();

  constructor(setup: Pick<BgpSetup, 'events' | 'log' | 'node'>) {
    this.#setup = setup;
  }

  /** What Services asked for in vain is told by one node for all. */
  tell(record: BgpRecord, isSpokesman: boolean): void {
    const { chosen, others, problems } = record.choice;
    if (chosen === undefined) return;
    const about = [
      ...notesOf(record, this.#setup.node).map((note) => ({ identity: chosen.identity, note })),
      ...others.map(({ identity }) => ({ identity, note: waits(chosen.identity) })),
    ];
    const keys = isSpokesman ? this.#tellServices(record) : new Set<string>();
    for (const { identity, note } of about) {
      const key = `${identity.uid} ${note.reason} ${note.message}`;
      keys.add(key);
      if (!this.#told.has(key)) this.#record(identity, note);
    }
    const key = describeProblems(problems);
    if (key !== '' && !this.#told.has(key)) {
      this.#setup.log.warn('BGPConfiguration cannot be carried out', {
        configuration: keyOf(chosen.identity),
        problems: key,
      });
    }
    this.#told = keys.add(key);
  }

  #tellServices({ refusals }: BgpRecord): Set<string> {
    const keys = new Set<string>();
    for (const { service, message } of refusals) {
      const key = `${service.uid} ${message}`;
      keys.add(key);
      if (this.#told.has(key)) continue;
      const { namespace, name, uid } = service;
      const reason = 'RouteAttributesRefused';
      this.#setup.log.info('Note', { reason, service: keyOf(service), message });
      this.#setup.events.record({
        regarding: { apiVersion: 'v1', kind: 'Service', namespace, name, uid },
        type: eventReasons[reason],
        reason,
        action: 'Advertise',
        note: message,
      });
    }
    return keys;
  }

  #record({ namespace, name, uid }: Identity, { reason, message }: SessionNote): void {
    const { events, log } = this.#setup;
    log.info('Note', { reason, message });
    events.record({
      regarding: {
        apiVersion: 'bgp.purelb.io/v1',
        kind: 'BGPConfiguration',
        namespace,
        name,
        uid,
      },
      type: eventReasons[reason],
      reason,
      action: 'Configure',
      note: message,
    });
  }
}

function notesOf(record: BgpRecord, node: string): readonly SessionNote[] {
  const { notes, routerId, needsRestart } = record;
  return [
    ...notes.map(({ reason, message }) => ({ reason, message: `${node}: ${message}` })),
    ...(routerId === undefined
      ? []
      : [
          {
            reason: 'RouterIDResolved',
            message: `Router ID resolved to ${routerId.ip} via ${routerId.source} from node ${node}`,
          } as const,
        ]),
    ...(needsRestart.length === 0
      ? []
      : [
          {
            reason: 'GlobalRestartRequired',
            message: `${node}: ${needsRestart.join(', ')} changed: start gobgpd anew`,
          } as const,
        ]),
  ];
}

function waits(chosen: Identity): SessionNote {
  const message = `${keyOf(chosen)} is older and in force`;
  return { reason: 'MultipleConfigurations', message };
}
