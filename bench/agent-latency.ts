/** From the request to create a Service until its address answers, and from its deletion until it falls silent. */

import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../lab/monotonic.ts';
import type { AgentCluster, GroupName, ServiceWish } from './agent-cluster.ts';
import type { AddressProbe, Prober } from './agent-prober.ts';
import type { BenchReport } from './bench-report.ts';
import { quantile } from './quantile.ts';

export interface Stage {
  readonly cluster: AgentCluster;
  readonly prober: Prober;
  readonly report: BenchReport;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

/** Upstream: 18 / 49 ms for IPv4, 1,460 / 1,980 ms for IPv6; gone 6 / 13 ms after a deletion. */
const kinds: readonly (ServiceWish & {
  readonly group: GroupName;
  readonly family: 'IPv4' | 'IPv6';
  readonly label: string;
  readonly target: Quantiles;
})[] = [
  { group: 'careful', family: 'IPv4', label: 'IPv4', target: { p50: 45, p99: 122 } },
  { group: 'careful', family: 'IPv6', label: 'IPv6', target: { p50: 292, p99: 396 } },
  { group: 'blind', family: 'IPv4', label: 'IPv4, no check', target: { p50: 18, p99: 49 } },
  { group: 'blind', family: 'IPv6', label: 'IPv6, no check', target: { p50: 292, p99: 396 } },
];
const silenceTarget = { p50: 9, p99: 19.5 };
const samples = 100;
const probeEveryMs = 1;
/** The client's kernel keeps packets until it knows the neighbour, so that more of them show nothing sooner. */
const queuedProbeMs = 50;
const silentForMs = 150;
/** Back to back: 0.05 times upstream's 600 / 604 ms. */
const backToBackTarget = { p50: 30, p99: 30.2 };

function ipFor({ group, family }: { group: GroupName; family: string }, number: number): string {
  if (family === 'IPv6') return `2001:db8:1::${group === 'careful' ? 1 : 2}:${number.toString(16)}`;
  const third = (group === 'careful' ? 12 : 28) + Math.floor(number / 250);
  return `198.18.${third}.${number % 250}`;
}

export async function measureOneByOne(stage: Stage): Promise<void> {
  const silences: number[] = [];
  for (const kind of kinds) {
    const times: number[] = [];
    for (let sample = -5; sample < samples; sample += 1) {
      const ip = ipFor(kind, sample + 105);
      const measured = await measureOne(stage, `one-${sample + 5}`, { ...kind, ip });
      if (sample < 0) continue;
      times.push(measured.answerMs);
      silences.push(measured.silenceMs);
    }
    reportQuantiles(stage, `create → first answer, ${kind.label}`, times, kind.target);
  }
  reportQuantiles(stage, 'delete → silence', silences, silenceTarget);
}

async function measureOne({ cluster, prober }: Stage, name: string, wish: ServiceWish) {
  const probe = prober.probe(wish.ip ?? '', probeEveryMs);
  const createdAt = monotonicMs();
  await cluster.create(name, wish);
  const answerMs = (await probe.first) - createdAt;
  return { answerMs, silenceMs: await measureSilence(cluster, name, probe) };
}

/** From the request to delete the Service until its address no longer answers, in ms. */
export async function measureSilence(
  cluster: AgentCluster,
  name: string,
  probe: AddressProbe,
): Promise<number> {
  // Until what follows an announcement is over: the status is written, the announcement repeated.
  await sleep(300);
  const deletedAt = monotonicMs();
  await cluster.remove(name);
  await sleep(silentForMs);
  while (monotonicMs() - probe.lastAnswered < silentForMs) await sleep(10);
  probe.stop();
  await cluster.untilGone(name);
  return Math.max(0, probe.lastAnswered - deletedAt);
}

/** Each is created as soon as the API server has taken the one before. */
export async function measureBackToBack(stage: Stage): Promise<void> {
  const { cluster } = stage;
  for (const group of ['careful', 'blind'] as const) {
    const times = await Promise.all(await createInARow(stage, group));
    const label = group === 'careful' ? 'IPv4' : 'IPv4, no check';
    reportQuantiles(
      stage,
      `back to back: create → first answer, ${label}`,
      times,
      backToBackTarget,
    );
    const names = Array.from({ length: samples }, (_, number) => `${group}-${number}`);
    await Promise.all(names.map((name) => cluster.remove(name)));
    await Promise.all(names.map((name) => cluster.untilGone(name)));
  }
}

async function createInARow({ cluster, prober }: Stage, group: GroupName) {
  const waiting: Promise<number>[] = [];
  for (let number = 0; number < samples; number += 1) {
    const ip = ipFor({ group, family: 'IPv4' }, number + 250);
    const probe = prober.probe(ip, queuedProbeMs);
    const createdAt = monotonicMs();
    waiting.push(
      probe.first.then((at) => {
        probe.stop();
        return at - createdAt;
      }),
    );
    await cluster.create(`${group}-${number}`, { group, ip });
  }
  return waiting;
}

export function reportQuantiles(
  { report }: Stage,
  name: string,
  values: readonly number[],
  target: Quantiles,
): void {
  const shared = { unit: 'ms', better: 'lower' } as const;
  report.row({ name: `${name}, p50`, value: quantile(values, 0.5), target: target.p50, ...shared });
  report.row({
    name: `${name}, p99`,
    value: quantile(values, 0.99),
    target: target.p99,
    ...shared,
  });
}
