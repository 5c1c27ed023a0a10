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
    const timing = timingFor(durationMs);
    const ref = { namespace, name };
    this.#elector = new Elector({ cluster, clock, random, ref, identity, timing, observe });
  }

  /** By the clock: right also at the first moment after the process was paused. */
  get isCurrent(): boolean {
    return this.#elector?.isLeading ?? true;
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

/** In the proportions of the usual 15 seconds. */
function timingFor(durationMs: number) {
  const share = (part: number) => Math.round(durationMs * part);
  return {
    durationMs,
    deadlineMs: share(0.8),
    renewEveryMs: share(0.2),
    retryEveryMs: share(1 / 15),
    callMs: share(0.4),
  };
}
