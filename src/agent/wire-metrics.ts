/** What failover sends and hears: frames on the links, and hints to other agents. Counted there, read when somebody looks. */

import type { Neighbours } from '../linux/neighbours.ts';
import { agentMetrics, type Metric } from '../model/metrics.ts';
import type { Counter } from '../runtime/metric.ts';
import type { MetricFamily } from '../runtime/metric-family.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { HintCounters } from './udp-hints.ts';

export interface WireCounts {
  readonly neighbours: Pick<Neighbours, 'counters'>;
  readonly hints: { counters(): HintCounters };
}

export function registerWireMetrics(metrics: Metrics, { neighbours, hints }: WireCounts): void {
  register(metrics, 'purelb_lbnodeagent_frames_total', () => {
    const counted = neighbours.counters();
    return {
      sent: counted.framesSent,
      failed: counted.framesFailed,
      heard: counted.framesHeard,
      lost: counted.framesLost,
      malformed: counted.framesMalformed,
    };
  });
  register(metrics, 'purelb_lbnodeagent_hints_total', () => ({ ...hints.counters() }));
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
