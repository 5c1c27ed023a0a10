/** How busy the API server and the segments are with PureLB, as rates of the last seconds. */

import type { Clock } from '../../src/runtime/clock.ts';
import type { LabCluster } from '../cluster/lab-cluster.ts';
import { tallyRequests } from './api-activity.ts';
import type { ActivityFacts } from './cluster-facts.ts';
import { keepSample, ratesOf, type Sample, type Tally } from './rates.ts';
import { WireMeter } from './wire-meter.ts';

export class ActivityMeter {
  readonly #cluster: LabCluster;
  readonly #clock: Clock;
  readonly #wire = new WireMeter();
  readonly #samples = new Map<string, readonly Sample[]>();

  constructor(cluster: LabCluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** On the segments that nodes are on. */
  async start(): Promise<void> {
    const names = new Set(this.#cluster.nodes.map(({ lan }) => lan));
    const { lab } = this.#cluster;
    await Promise.all(
      [...names].sort().map(async (name) => this.#wire.listen(lab.segment(name), this.#clock)),
    );
  }

  get facts(): readonly ActivityFacts[] {
    return [...this.#samples].map(([where, samples]) => ({
      where,
      rates: { ...zeros(where), ...ratesOf(samples) },
    }));
  }

  tick(): void {
    const counts = this.#cluster.api.embedded?.audit.counts();
    if (counts !== undefined) this.#take('API', tallyRequests(counts));
    for (const [segment, tally] of this.#wire.tallies) this.#take(segment, { ...tally });
  }

  close(): void {
    this.#wire.close();
  }

  #take(where: string, tally: Tally): void {
    const sample = { at: this.#clock.monotonic(), tally };
    this.#samples.set(where, keepSample(this.#samples.get(where) ?? [], sample));
  }
}

/** What did not happen yet is shown as well. */
function zeros(where: string): Tally {
  if (where === 'API') return { renewals: 0, writes: 0, reads: 0 };
  return { echoes: 0, questions: 0, announcements: 0, hints: 0 };
}
