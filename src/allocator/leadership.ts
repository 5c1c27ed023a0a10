/** Of several allocators one leads; where only one can ever run, it leads without asking. */

import type { Cluster } from '../kube/cluster.ts';
import { Elector, type ElectorObservation } from '../kube/elector.ts';
import type { Clock } from '../runtime/clock.ts';

export interface Election {
  readonly namespace: string;
  readonly leaseName: string;
  /** Different for every process. */
  readonly identity: string;
  readonly durationMs: number;
}

export interface LeadershipOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  /** Undefined: this is the only allocator there can be. */
  readonly election: Election | undefined;
  readonly observe: (observation: ElectorObservation) => void;
  /** What else whoever leads does, until the signal is aborted. */
  readonly whileLeading?: (leadership: AbortSignal) => Promise<void>;
}

export class Leadership {
  readonly #elector: Elector | undefined;
  readonly #whileLeading: NonNullable<LeadershipOptions['whileLeading']>;

  constructor(options: LeadershipOptions) {
    const { cluster, clock, random, election, observe, whileLeading } = options;
    this.#whileLeading = whileLeading ?? (async () => {});
    if (election === undefined) return;
    const { namespace, leaseName: name, identity, durationMs } = election;
    const ref = { namespace, name };
    this.#elector = new Elector({ cluster, clock, random, ref, identity, durationMs, observe });
  }

  /** By the clock: right also at the first moment after the process was paused. */
  get isCurrent(): boolean {
    return this.actsForMs > 0;
  }

  /** For how long at least no other allocator writes; 0 while this one does not lead. */
  get actsForMs(): number {
    return this.#elector?.actsForMs ?? Infinity;
  }

  /** Who leads, as far as we know. */
  get holder(): string | undefined {
    return this.#elector?.holder;
  }

  get isElected(): boolean {
    return this.#elector !== undefined;
  }

  async run(signal: AbortSignal, lead: (leadership: AbortSignal) => Promise<void>): Promise<void> {
    const leadAll = async (leadership: AbortSignal) => {
      await Promise.all([lead(leadership), this.#whileLeading(leadership)]);
    };
    if (this.#elector === undefined) await leadAll(signal);
    else await this.#elector.run(signal, leadAll);
  }
}
