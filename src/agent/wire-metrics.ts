/** What failover sends and hears: frames on the links, and hints to other agents. Counted there, read when somebody looks. */

import type { Neighbours } from '../linux/neighbours.ts';
import { agentMetrics, type Metric } from '../model/metrics.ts';
import type { Counter } from '../runtime/metric.ts';
import type { MetricFamily } from '../runtime/metric-family.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { HintCounters } from './peer-hints.ts';
import type { WireEar } from './wire-ear.ts';

export interface WireCounts {
  readonly neighbours: Pick<Neighbours, 'counters'>;
  readonly datagrams: { counters(): { readonly sent: number; readonly failed: number } };
  readonly hints: { counters(): HintCounters };
  readonly keys: { readonly names: readonly string[] };
  readonly ear: Pick<WireEar, 'mismatched'>;
}

export function registerWireMetrics(metrics: Metrics, counts: WireCounts): void {
  const { neighbours, datagrams, hints, keys, ear } = counts;
  register(metrics, 'purelb_lbnodeagent_frames_total', () => {
    const counted = neighbours.counters();
    return {
      sent: counted.framesSent,
      failed: counted.framesFailed,
      heard: counted.framesHeard,
      lost: counted.framesLost,
      malformed: counted.framesMalformed,
      mismatched: ear.mismatched,
    };
  });
  register(metrics, 'purelb_lbnodeagent_hints_total', () => ({
    ...datagrams.counters(),
    ...hints.counters(),
  }));
  const name = 'purelb_lbnodeagent_peer_authentication';
  metrics.gauge({
    name,
    help: agentMetrics[name].help,
    collect: () => (keys.names.length > 0 ? 1 : 0),
  });
}

function register(
  metrics: Metrics,
  name: keyof typeof agentMetrics,
  count: () => Readonly<Record<string, number>>,
): void {
  const { help, labels }: Metric = agentMetrics[name];
  const collect = (family: MetricFamily<Counter, string>) => {
    for (const [outcome, total] of Object.entries(count()))
      family.with({ outcome }).setTotal(total);
  };
  metrics.counters({ name, help, labels, collect });
}
