/** Up to 100 agents of one cluster: what each of them asks, sends and costs, and how soon a dead node is replaced. */

import { monotonicMs } from '../lab/monotonic.ts';
import type { Ip } from '../src/model/ip.ts';
import { sleep } from '../src/runtime/clock.ts';
import type { BenchOptions, BenchReport } from './bench-report.ts';
import { countFrames } from './cost-simulated.ts';
import { quantile } from './quantile.ts';
import { reportGrowth } from './scale-growth.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

const sizes: readonly number[] = [10, 25, 50];
const largest = 100;
const familyCount = 2;
const addresses = 100;
/** All times are of the cluster's own clock. */
const longestMs = 120_000;
const settleMs = 10_000;
const idleMs = 20_000;
const lookEveryMs = 1;
const deaths = 3;
const recoverMs = 4_000;

/** Of each node, per second of the cluster's clock; CPU in percent of a core. */
interface Calm {
  readonly size: number;
  readonly requests: number;
  readonly frames: number;
  readonly cpu: number;
}

export async function measureNodes(report: BenchReport, { isLong }: BenchOptions): Promise<void> {
  const all: Calm[] = [];
  for (const size of isLong ? [...sizes, largest] : sizes) {
    await using cluster = await SimulatedCluster.open(size);
    const server = cluster.isReal ? 'kube-apiserver' : 'the embedded API server';
    report.note(`${size} agents in one process, with ${server}; kernels and network in memory`);
    await settle(cluster, report);
    const calm = await measureCalm(cluster, report);
    all.push(calm);
    reportCalm(report, calm);
    await measureDeaths(cluster, report);
  }
  // The sum over all nodes is linear if what each node does stays the same.
  const grow = (what: string, pick: (calm: Calm) => number) => {
    const figures = all.map((calm) => ({ size: calm.size, value: calm.size * pick(calm) }));
    reportGrowth(report, `nodes, ${what} of all`, figures);
  };
  grow('idle API requests', ({ requests }) => requests);
  grow('frames', ({ frames }) => frames);
  grow('CPU', ({ cpu }) => cpu);
}

/** The Services are there before the agents start, which then place all addresses at once. */
async function settle(cluster: SimulatedCluster, report: BenchReport): Promise<void> {
  const { nodes, clock } = cluster;
  for (let number = 0; number < addresses / familyCount; number += 1) {
    const ipv6 = `2001:db8:1::${(0x1000 + number).toString(16)}`;
    await cluster.serve(`scale-${number}`, [`192.0.2.${120 + number}`, ipv6]);
  }
  const [ownStart, start] = [clock.monotonic(), monotonicMs()];
  for (const node of nodes) node.startAgent();
  await untilPlaced(cluster, cluster.ips);
  const took = `${seconds(clock.monotonic() - ownStart)} s of their clock`;
  const machine = `${seconds(monotonicMs() - start)} s of this machine`;
  report.note(`${nodes.length} nodes: ${addresses} addresses are placed after ${took}, ${machine}`);
  await sleep(clock, settleMs);
}

async function until({ clock }: SimulatedCluster, countMissing: () => number): Promise<void> {
  const end = clock.monotonic() + longestMs;
  for (let missing = countMissing(); missing > 0; missing = countMissing()) {
    if (clock.monotonic() > end) throw new Error(`${missing} are missing after ${longestMs} ms`);
    await sleep(clock, lookEveryMs);
  }
}

async function untilPlaced(cluster: SimulatedCluster, ips: Iterable<Ip>): Promise<void> {
  const wanted = [...ips];
  const isHeld = (ip: Ip) => cluster.nodes.some((node) => node.holds(ip));
  await until(cluster, () => wanted.filter((ip) => !isHeld(ip)).length);
}

async function measureCalm(cluster: SimulatedCluster, report: BenchReport): Promise<Calm> {
  const { nodes, clock } = cluster;
  const size = nodes.length;
  const requestsBefore = cluster.requests;
  const frames = countFrames(cluster);
  const cpuBefore = process.cpuUsage();
  const startedAt = monotonicMs();
  await sleep(clock, idleMs);
  const { user, system } = process.cpuUsage(cpuBefore);
  const took = `${seconds(monotonicMs() - startedAt)} s of this machine`;
  report.note(`${size} nodes: ${idleMs / 1000} s of their clock took ${took}`);
  const sent = [...frames.all.values()].reduce((sum, count) => sum + count, 0);
  frames.stop();
  const perNode = (count: number) => (1000 * count) / idleMs / size;
  return {
    size,
    requests: perNode(cluster.requests - requestsBefore),
    frames: perNode(sent),
    cpu: perNode((100 * (user + system)) / 1_000_000),
  };
}

function reportCalm(report: BenchReport, { size, requests, frames, cpu }: Calm): void {
  const row = (name: string, value: number, unit: string) =>
    report.row({ name: `${size} nodes: ${name}`, value, unit, better: 'lower' });
  row('idle API requests/s of a node', requests, '');
  row('frames/s of a node', frames, '');
  row('CPU of an agent', cpu, '%');
}

/** One after another; each time the node with the most addresses. */
async function measureDeaths(cluster: SimulatedCluster, report: BenchReport): Promise<void> {
  const times: number[] = [];
  const { clock } = cluster;
  const size = cluster.nodes.length;
  for (let death = 0; death < deaths; death += 1) {
    const { node, ips } = fullestNode(cluster);
    const startedAt = clock.monotonic();
    node.powerOff();
    await untilPlaced(cluster, ips);
    times.push(clock.monotonic() - startedAt);
    await sleep(clock, recoverMs);
  }
  const shown = times.map((ms) => ms.toFixed(0)).join(', ');
  report.note(`${size} nodes: failover took ${shown} ms`);
  const name = `${size} nodes: a node dies, until its last address is on another, median`;
  report.row({ name, value: quantile(times, 0.5), unit: 'ms', better: 'lower' });
}

function fullestNode({ nodes, ips }: SimulatedCluster) {
  const [fullest] = nodes
    .map((node) => ({ node, ips: [...ips].filter((ip) => node.holds(ip)) }))
    .toSorted((left, right) => right.ips.length - left.ips.length);
  if (fullest === undefined) throw new Error('the cluster has no nodes');
  return fullest;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
