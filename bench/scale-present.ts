/** Thousands of Services that are present: what they cost while nothing changes, and what one more costs. */

import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../lab/monotonic.ts';
import { ipOf } from '../src/model/ip.ts';
import { AgentCluster, forAll } from './agent-cluster.ts';
import { AddressWatch } from './allocator-cluster.ts';
import { countWrites, settleWrites } from './api-writes.ts';
import type { BenchOptions, BenchReport } from './bench-report.ts';
import { readHeap, withInspector } from './inspect-heap.ts';
import { KernelTally } from './kernel-tally.ts';
import { readCpuMs, readMemory } from './process-cost.ts';
import { quantile } from './quantile.ts';
import { number, type Sized, slopes } from './scale-growth.ts';

const nodes = 3;
const sizes: readonly number[] = [1_250, 2_500, 5_000];
const largest = 10_000;
const longestMs = 240_000;
const settleMs = 10_000;
const idleMs = 20_000;
const samples = 10;
const pauseMs = 300;
const bytesPerMiB = 2 ** 20;
const kibPerMiB = 1024;

interface Memory {
  readonly rss: number;
  readonly heap: number;
}

/** Memory in MiB, CPU in percent of a core, times in ms; those of the agents are of the one with the most. */
interface Present {
  readonly size: number;
  readonly agent: Memory;
  readonly allocator: Memory;
  readonly agentCpu: number;
  readonly allocatorCpu: number;
  readonly oneMore: number;
  readonly restart: number;
}

interface Stage {
  readonly cluster: AgentCluster;
  readonly tally: KernelTally;
  readonly watch: AddressWatch;
  readonly report: BenchReport;
  /** Services so far. */
  created: number;
}

export async function measurePresent(report: BenchReport, { isLong }: BenchOptions): Promise<void> {
  await using cluster = await AgentCluster.open({ nodes, change: withInspector });
  report.note(`API server: ${cluster.deployed.api.isReal ? 'kube-apiserver' : 'embedded'}`);
  const tally = new KernelTally(cluster.deployed.lab.nodes);
  const watch = new AddressWatch(cluster.deployed);
  await watch.start();
  const stage: Stage = { cluster, tally, watch, report, created: 0 };
  const all: Present[] = [];
  try {
    for (const size of isLong ? [...sizes, largest] : sizes) {
      await fill(stage, size);
      const present = await measureSize(stage, size);
      all.push(present);
      reportSize(report, present);
    }
  } finally {
    watch.stop();
    tally.close();
  }
  reportSlopes(report, all);
}

/** Services that are there already stay. While the agents are stopped the others come much sooner. */
async function fill(stage: Stage, size: number): Promise<void> {
  const { cluster, tally, watch, report } = stage;
  const { created } = stage;
  const before = countWrites(cluster);
  await cluster.stopAgents();
  const names = Array.from({ length: size - created }, (_, index) => `present-${created + index}`);
  await forAll(names, (name) => cluster.create(name, { group: 'blind' }));
  await Promise.all(names.map((name) => watch.whenSeen(name)));
  stage.created = size;
  const startedAt = monotonicMs();
  await cluster.startAgents();
  await tally.untilSize(size, longestMs);
  const { size: placed } = tally.addedAt;
  if (placed < size) report.note(`gave up waiting: ${placed} of ${size} are on a node`);
  const tookMs = monotonicMs() - startedAt;
  const after = `${(tookMs / 1000).toFixed(0)} s after the agents started`;
  report.note(`${number(size)} Services present: on nodes ${after}`);
  await settleWrites(cluster, before);
  await sleep(settleMs);
}

async function measureSize(stage: Stage, size: number): Promise<Present> {
  const { cluster } = stage;
  const { agents, allocators, deployed } = cluster;
  const pids = [...allocators, ...agents].map(({ pid }) => pid);
  const hosts = [deployed.control, ...deployed.lab.nodes];
  const before = pids.map(readCpuMs);
  await sleep(idleMs);
  const [allocatorCpu = Number.NaN, ...agentCpus] = pids.map(
    (pid, index) => (100 * (readCpuMs(pid) - (before[index] ?? 0))) / idleMs,
  );
  // Before the heap is read: a collection that is asked for gives memory back that otherwise stays.
  const rss = pids.map((pid) => (readMemory(pid) * 1_000_000) / bytesPerMiB);
  const heaps = await Promise.all(
    hosts.map(async ({ ipv4 }) => (await readHeap(ipv4)) / bytesPerMiB),
  );
  const most = (values: readonly number[]) => Math.max(...values.slice(1));
  return {
    size,
    agent: { rss: most(rss), heap: most(heaps) },
    allocator: { rss: rss[0] ?? Number.NaN, heap: heaps[0] ?? Number.NaN },
    agentCpu: Math.max(...agentCpus),
    allocatorCpu,
    oneMore: await measureOneMore(stage),
    restart: await cluster.restartAllocator(),
  };
}

/** Median of the milliseconds from the request to create a Service until its address is on a node. */
async function measureOneMore(stage: Stage): Promise<number> {
  const { cluster, tally, watch } = stage;
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const name = `more-${stage.created}`;
    stage.created += 1;
    const startedAt = monotonicMs();
    const created = cluster.create(name, { group: 'large' });
    const ip = await watch.whenSeen(name);
    times.push((await tally.whenAdded(ipOf(ip))) - startedAt);
    await created;
    await sleep(pauseMs);
  }
  return quantile(times, 0.5);
}

function reportSize(report: BenchReport, present: Present): void {
  const label = `${number(present.size)} Services present`;
  // Each at once as a note, too: a large size may take longer than anybody waits.
  const row = (name: string, value: number, unit: string) => {
    report.row({ name: `${label}: ${name}`, value, unit, better: 'lower' });
    report.note(`${label}: ${name} ${value.toFixed(1)} ${unit}`);
  };
  row('RSS of an agent, most', present.agent.rss, 'MiB');
  row('heap of an agent, most', present.agent.heap, 'MiB');
  row('RSS of the allocator', present.allocator.rss, 'MiB');
  row('heap of the allocator', present.allocator.heap, 'MiB');
  row('idle CPU of an agent, most', present.agentCpu, '%');
  row('idle CPU of the allocator', present.allocatorCpu, '%');
  row('create one more → on a node, p50', present.oneMore, 'ms');
  row("the allocator's restart, until it is ready", present.restart, 'ms');
}

/** What each Service adds to the memory of the programs. */
function reportSlopes(report: BenchReport, all: readonly Present[]): void {
  const each = (what: string, pick: (present: Present) => number) => {
    const figures: readonly Sized[] = all.map((present) => ({
      size: present.size,
      value: pick(present) * kibPerMiB,
    }));
    for (const { from, to, factor } of slopes(figures)) {
      const name = `${what} per Service, ${number(from)} → ${number(to)} present`;
      report.row({ name, value: factor, unit: 'KiB', better: 'lower' });
    }
  };
  each('heap of an agent', ({ agent }) => agent.heap);
  each('heap of the allocator', ({ allocator }) => allocator.heap);
  each('RSS of an agent', ({ agent }) => agent.rss);
  each('RSS of the allocator', ({ allocator }) => allocator.rss);
}
