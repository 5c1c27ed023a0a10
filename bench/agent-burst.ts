/** Hundreds of Services at once, until all of them answer. */

import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../lab/eventually.ts';
import { monotonicMs } from '../lab/monotonic.ts';
import type { Ip } from '../src/model/ip.ts';
import type { Mac } from '../src/model/mac.ts';
import { type AgentCluster, forAll } from './agent-cluster.ts';
import { AnswerEar } from './agent-ear.ts';
import type { Stage } from './agent-latency.ts';
import { countWrites, settleWrites, type WriteSums } from './api-writes.ts';
import { readCpuMs } from './process-cost.ts';
import { quantile } from './quantile.ts';

/** Upstream needs 298 s for 500, MetalLB 14.4 s; 3,200 and 4,960 writes. */
const bursts = [
  { count: 500, seconds: 6, writes: 1_600 },
  { count: 1_000, seconds: 12, writes: 3_200 },
];
const longestMs = 240_000;

const isOfBurst = (ip: Ip) => /^198\.18\.([4-9]|1[0-5])\./.test(ip);

/** Resolves to who holds the addresses of the last burst, which stay. */
export async function measureBursts(stage: Stage): Promise<ReadonlyMap<Ip, Mac>> {
  let holders: ReadonlyMap<Ip, Mac> = new Map();
  for (const [index, burst] of bursts.entries()) {
    holders = await measureBurst(stage, burst);
    if (index < bursts.length - 1) await removeAll(stage, burst.count);
  }
  return holders;
}

export interface BurstFigures {
  readonly createdMs: number;
  readonly tookMs: number;
  /** By agent. */
  readonly cpuMs: readonly number[];
  /** What was written how often, for people. */
  readonly writes: string;
  readonly sums: WriteSums;
  /** Writes that were refused because the object had changed meanwhile. */
  readonly conflicts: readonly string[];
  readonly holders: ReadonlyMap<Ip, Mac>;
}

/** Creates so many Services, and waits until each answers and everything is written. */
export async function runBurst(cluster: AgentCluster, count: number): Promise<BurstFigures> {
  const ear = new AnswerEar(cluster.deployed.client, isOfBurst);
  const before = countWrites(cluster);
  const conflictsBefore = cluster.conflicts().length;
  const cpu = () => cluster.agents.map(({ pid }) => readCpuMs(pid));
  const cpuBefore = cpu();
  const startedAt = monotonicMs();
  await forAll(namesOf(count), (name) => cluster.create(name));
  const createdMs = monotonicMs() - startedAt;
  const check = () => {
    if (ear.answeredAt.size < count) throw new Error(`${ear.answeredAt.size} answer of ${count}`);
  };
  await eventually(check, { withinMs: longestMs, everyMs: 10 });
  const tookMs = Math.max(...ear.answeredAt.values()) - startedAt;
  ear.close();
  const { text, sums } = await settleWrites(cluster, before);
  const cpuMs = cpu().map((each, index) => each - (cpuBefore[index] ?? 0));
  const conflicts = cluster.conflicts().slice(conflictsBefore);
  return { createdMs, tookMs, cpuMs, writes: text, sums, conflicts, holders: ear.holders };
}

async function measureBurst({ cluster, report }: Stage, burst: (typeof bursts)[number]) {
  const { count } = burst;
  const { createdMs, tookMs, cpuMs, writes: text, sums, holders } = await runBurst(cluster, count);
  const label = `${count.toLocaleString('en-US')} Services at once`;
  report.note(`${label}: created in ${(createdMs / 1000).toFixed(1)} s; writes: ${text}`);
  const shared = { better: 'lower' } as const;
  const took = { value: tookMs / 1000, unit: 's', target: burst.seconds };
  report.row({ name: `${label} until all answer`, ...took, ...shared });
  const writes = { value: sums.others, unit: '', target: burst.writes };
  report.row({ name: `${label}: API writes without Events and Leases`, ...writes, ...shared });
  const seconds = quantile(cpuMs, 0.5) / 1000;
  report.row({ name: `${label}: CPU of an agent`, value: seconds, unit: 's', ...shared });
  report.row({ name: `${label}: Events written`, value: sums.events, unit: '', ...shared });
  return holders;
}

function namesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `burst-${count}-${number}`);
}

async function removeAll({ cluster, report }: Stage, count: number): Promise<void> {
  const names = namesOf(count);
  const startedAt = monotonicMs();
  await forAll(names, (name) => cluster.remove(name));
  await forAll(names, (name) => cluster.untilGone(name));
  report.note(
    `${count} Services were gone after ${((monotonicMs() - startedAt) / 1000).toFixed(1)} s`,
  );
  await sleep(2_000);
}
