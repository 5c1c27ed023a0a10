/** A node with its share of the Services dies, the leader of the allocators dies; and how much memory all took. */

import { eventually } from '../lab/eventually.ts';
import { powerOff } from '../lab/faults/power.ts';
import { monotonicMs } from '../lab/monotonic.ts';
import type { Host } from '../lab/network/host.ts';
import type { Ip } from '../src/model/ip.ts';
import { AnswerEar } from './agent-ear.ts';
import type { EverydayStage } from './everyday-stage.ts';
import { readPeakMemory } from './process-cost.ts';

const longestMs = 60_000;
const bytesPerMb = 1_000_000;
const bytesPerMiB = 2 ** 20;

/** After the burst: the largest part of memory is taken then. */
export async function measurePeaks({ cluster, load, report }: EverydayStage): Promise<void> {
  await load.create();
  const peaks = (processes: readonly { readonly pid: number }[]) =>
    processes.map(({ pid }) => (readPeakMemory(pid) * bytesPerMb) / bytesPerMiB);
  const shared = { unit: 'MiB', target: 75, better: 'lower' } as const;
  const ofAgents = Math.max(...peaks(cluster.agents));
  report.row({ name: 'peak RSS of an agent, most', value: ofAgents, ...shared });
  const ofAllocators = Math.max(...peaks(cluster.allocators));
  report.row({ name: 'peak RSS of an allocator, most', value: ofAllocators, ...shared });
}

export async function measureDeath(stage: EverydayStage): Promise<void> {
  const { cluster, report } = stage;
  const { host, ips } = await fullestNode(stage);
  const ear = new AnswerEar(cluster.deployed.client, (ip) => ips.has(ip));
  const fault = await powerOff(host);
  try {
    const check = () => {
      const { size } = ear.answeredAt;
      if (size < ips.size) throw new Error(`${size} of ${ips.size} addresses answer again`);
    };
    await eventually(check, { withinMs: longestMs, everyMs: 10 });
  } finally {
    ear.close();
  }
  const times = [...ear.answeredAt.values()].map((at) => at - fault.since);
  report.note(
    `${host.name} dies with ${ips.size} addresses: the first answers after ${first(times)} ms`,
  );
  const value = Math.max(...times) / 1000;
  // The time of one address, 0.69 s, and 50 ms.
  const target = 0.74;
  const name = 'a node of 3 dies, 500 Services: until its last address answers';
  report.row({ name, value, unit: 's', target, better: 'lower' });
}

function first(times: readonly number[]): string {
  return Math.min(...times).toFixed(0);
}

async function fullestNode({ cluster, load }: EverydayStage) {
  const { holders } = await load.create();
  const [fullest] = cluster.deployed.lab.nodes
    .map((host) => ({ host, ips: ipsOn(host, holders) }))
    .toSorted((left, right) => right.ips.size - left.ips.size);
  if (fullest === undefined) throw new Error('the cluster has no nodes');
  return fullest;
}

function ipsOn(host: Host, holders: ReadonlyMap<Ip, string>): ReadonlySet<Ip> {
  const { mac } = host.nic().plan;
  return new Set([...holders].flatMap(([ip, holder]) => (holder === mac ? [ip] : [])));
}

/** The Service is created right after the power is cut. */
export async function measureLeader({ cluster, watch, report }: EverydayStage): Promise<void> {
  const name = 'after-the-leader';
  const seen = watch.whenSeen(name);
  const fault = await powerOff(cluster.leaderHost);
  await cluster.create(name);
  await seen;
  report.row({
    name: "the allocator's leader loses power: until the next Service has its address",
    value: (monotonicMs() - fault.since) / 1000,
    unit: 's',
    target: 2,
    better: 'lower',
  });
}
