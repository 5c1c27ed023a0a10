/** Which configuration is in force on this node, and which subnets it can announce in, as log lines when that changes. */

import type { ConfigChoice } from '../decide/announcement/choose-agent-config.ts';
import { findConfigChanges } from '../decide/announcement/config-changes.ts';
import { formatPrefix, type Prefix } from '../model/prefix.ts';
import type { Log } from '../runtime/log.ts';

type Choice = Pick<ConfigChoice, 'state' | 'source' | 'config'>;

export class ConfigurationLog {
  readonly #log: Log;
  #choice: Choice | undefined;
  #subnets: readonly string[] | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** `subnets`: undefined while the kernel could not be read. */
  note(choice: Choice, subnets: readonly Prefix[] | undefined): void {
    this.#noteChoice(choice);
    if (subnets !== undefined) this.#noteSubnets(subnets.map(formatPrefix).sort());
  }

  #noteChoice(choice: Choice): void {
    const before = this.#choice;
    this.#choice = choice;
    const { state, source, config } = choice;
    if (before === undefined) {
      this.#tell('Configuration in force', { op: 'configured', state, source }, choice);
      return;
    }
    const changes = findConfigChanges(before.config, config).map(
      (change) => `${change.field}: ${change.before ?? 'unset'} → ${change.after ?? 'unset'}`,
    );
    const isSame = before.state === state && before.source === source && changes.length === 0;
    if (isSame) return;
    // From nothing, or to nothing, every field differs: that is told by the state alone.
    const isWhole = before.config === undefined || config === undefined;
    const fields = {
      op: 'configChanged',
      before: { state: before.state, source: before.source },
      after: { state, source },
      ...(isWhole ? {} : { changes }),
    };
    this.#tell('Configuration changed', fields, choice);
  }

  #tell(message: string, fields: object, { config }: Choice): void {
    if (config !== undefined) this.#log.info(message, { ...fields });
    else this.#log.warn(`${message}: this node announces nothing`, { ...fields });
  }

  #noteSubnets(after: readonly string[]): void {
    const before = this.#subnets;
    this.#subnets = after;
    if (before === undefined && after.length === 0) return;
    if (before?.join() === after.join()) return;
    this.#log.info('Subnets changed', { op: 'subnetsChanged', before: before ?? [], after });
  }
}
