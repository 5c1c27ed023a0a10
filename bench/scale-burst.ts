/** Many Services at once on three nodes: what twice as many take and cost. */

import { monotonicMs } from '../lab/monotonic.ts';
import { AgentCluster, forAll } from './agent-cluster.ts';
import { AddressWatch } from './allocator-cluster.ts';
import { countWrites, settleWrites } from './api-writes.ts';
import type { BenchOptions, BenchReport } from './bench-report.ts';
import { KernelTally } from './kernel-tally.ts';
import { readCpuMs } from './process-cost.ts';
import { number, reportGrowth } from './scale-growth.ts';

const nodes = 3;
const sizes: readonly number[] = [625, 1_250, 2_500];
const largest = 5_000;
const allocatorSizes: readonly number[] = [1_250, 2_500, 5_000];
const largestOfAllocator = 10_000;
/** From when all have addresses. Agents that cannot keep up may take for ever. */
const longestMs = 240_000;

interface Burst {
  readonly size: number;
  /** Milliseconds from the first request to create a Service. */
  readonly addressedMs: number;
  /** How many addresses came onto nodes before the wait was given up, and when the last of these did. */
  readonly placed: number;
  readonly placedMs: number;
  readonly allocatorCpuMs: number;
  /** Of the busiest agent. */
  readonly agentCpuMs: number;
  /** Without Leases. */
  readonly writes: number;
}

export async function measureScaleBurst(
  report: BenchReport,
  { isLong }: BenchOptions,
): Promise<void> {
  const bursts: Burst[] = [];
  for (const size of isLong ? [...sizes, largest] : sizes) {
    bursts.push(await measureBurst(report, size, true));
  }
  const finished = bursts.filter(({ size, placed }) => placed === size);
  reportBurstGrowth(report, 'burst', finished, {
    'until all have addresses': ({ addressedMs }) => addressedMs,
    'until all are on a node': ({ placedMs }) => placedMs,
    'CPU of the allocator': ({ allocatorCpuMs }) => allocatorCpuMs,
    'CPU of an agent': ({ agentCpuMs }) => agentCpuMs,
    'API writes': ({ writes }) => writes,
  });
}

/** Without agents, which compete with the allocator for the machine. */
export async function measureAllocatorBurst(
  report: BenchReport,
  { isLong }: BenchOptions,
): Promise<void> {
  const bursts: Burst[] = [];
  for (const size of isLong ? [...allocatorSizes, largestOfAllocator] : allocatorSizes) {
    bursts.push(await measureBurst(report, size, false));
  }
  reportBurstGrowth(report, 'burst without agents', bursts, {
    'until all have addresses': ({ addressedMs }) => addressedMs,
    'CPU of the allocator': ({ allocatorCpuMs }) => allocatorCpuMs,
    'API writes': ({ writes }) => writes,
  });
}

/** A new cluster each time, so that nothing of a smaller burst is counted in a larger one. */
async function measureBurst(report: BenchReport, size: number, hasAgents: boolean): Promise<Burst> {
  await using cluster = await AgentCluster.open({ nodes, hasAgents });
  report.note(`API server: ${cluster.deployed.api.isReal ? 'kube-apiserver' : 'embedded'}`);
  const label = `${number(size)} Services at once${hasAgents ? '' : ', without agents'}`;
  const burst = await runScaleBurst(cluster, size, (text) => report.note(`${label}: ${text}`));
  reportBurst(report, label, burst);
  if (hasAgents) reportPlacement(report, label, burst);
  return burst;
}

async function runScaleBurst(
  cluster: AgentCluster,
  size: number,
  say: (text: string) => void,
): Promise<Burst> {
  const { deployed, agents, allocators } = cluster;
  const tally = new KernelTally(deployed.lab.nodes);
  const watch = new AddressWatch(deployed);
  await watch.start();
  const writesBefore = countWrites(cluster);
  const pids = [...allocators, ...agents].map(({ pid }) => pid);
  const cpuBefore = pids.map(readCpuMs);
  const names = Array.from({ length: size }, (_, index) => `burst-${index}`);
  const startedAt = monotonicMs();
  const addressed = Promise.all(names.map((name) => watch.whenSeen(name))).then(monotonicMs);
  await forAll(names, (name) => cluster.create(name, { group: 'large' }));
  say(`created in ${seconds(monotonicMs() - startedAt)} s`);
  const addressedMs = (await addressed) - startedAt;
  say(`all have addresses after ${seconds(addressedMs)} s`);
  if (agents.length > 0) await tally.untilSize(size, longestMs);
  const placed = tally.addedAt.size;
  const placedMs = Math.max(startedAt, ...tally.addedAt.values()) - startedAt;
  watch.stop();
  tally.close();
  const { text, sums } = await settleWrites(cluster, writesBefore);
  say(`writes: ${text}`);
  const [allocatorCpuMs = 0, ...agentsMs] = pids.map(
    (pid, index) => readCpuMs(pid) - (cpuBefore[index] ?? 0),
  );
  const agentCpuMs = Math.max(0, ...agentsMs);
  const writes = sums.events + sums.others;
  return { size, addressedMs, placed, placedMs, allocatorCpuMs, agentCpuMs, writes };
}

function reportBurst(report: BenchReport, label: string, burst: Burst): void {
  const row = (name: string, value: number, unit: string) =>
    report.row({ name: `${label}${name}`, value, unit, better: 'lower' });
  row(', until all have addresses', burst.addressedMs / 1000, 's');
  row(': CPU of the allocator', burst.allocatorCpuMs / 1000, 's');
  row(': API writes with Events, without Leases', burst.writes, '');
}

function reportPlacement(report: BenchReport, label: string, burst: Burst): void {
  const { size, placed, placedMs, agentCpuMs } = burst;
  const shared = { better: 'lower' } as const;
  const absent = { value: size - placed, unit: '', target: 0 };
  report.row({ name: `${label}: on no node ${longestMs / 1000} s later`, ...absent, ...shared });
  const cpu = { value: agentCpuMs / 1000, unit: 's' };
  report.row({ name: `${label}: CPU of an agent, most`, ...cpu, ...shared });
  report.note(`${label}: ${number(placed)} are on nodes after ${seconds(placedMs)} s`);
  if (placed < size) return;
  const took = { value: placedMs / 1000, unit: 's' };
  report.row({ name: `${label}, until all are on a node`, ...took, ...shared });
}

function reportBurstGrowth(
  report: BenchReport,
  label: string,
  bursts: readonly Burst[],
  figures: Readonly<Record<string, (burst: Burst) => number>>,
): void {
  for (const [what, pick] of Object.entries(figures)) {
    const sized = bursts.map((burst) => ({ size: burst.size, value: pick(burst) }));
    reportGrowth(report, `${label}, ${what}`, sized);
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
