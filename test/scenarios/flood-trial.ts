/** A host on the LAN floods three agents with frames; then the node that holds the addresses dies. */

import { readCpuMs, readPeakMemory } from '../../bench/process-cost.ts';
import { powerOff } from '../../lab/faults/power.ts';
import { startFlood } from '../../lab/flood/flood.ts';
import type { FloodKind } from '../../lab/flood/flood-frames.ts';
import { monotonicMs } from '../../lab/monotonic.ts';
import { leases } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { type AgentWorld, installNamespace } from './agent-world.ts';

export interface FloodFigures {
  readonly framesPerSecond: number;
  /** Of the largest agent, since it started. */
  readonly peakMb: number;
  /** Of the busiest agent, while the flood lasted. */
  readonly cpuPercent: number;
  /** Of the agent that renewed its Lease least often. */
  readonly renewals: number;
  /** Whether every address was all the time where it was before. */
  readonly areHeld: boolean;
  /** From the end of the flood, when the holder died, until another node had each address. */
  readonly detectedMs: number;
}

export const floodedIps = ['192.0.2.100', '2001:db8:1::100'].map((text) => ipOf(text));

export interface FloodOrder {
  readonly kind: FloodKind;
  /** Every frame goes to the node that holds the addresses; otherwise to the whole segment where its kind does. */
  readonly isUnicast: boolean;
  readonly framesPerSecond: number;
  readonly seconds: number;
}

export async function runFlood(world: AgentWorld, order: FloodOrder): Promise<FloodFigures> {
  const holder = await holderOf(world);
  const numbers = world.lab.nodes.map((_, index) => index + 1);
  const pids = numbers.map((number) => world.agent(number).pid);
  const before = { cpu: pids.map(readCpuMs), places: await placesOf(world) };
  const renewed = await countRenewals(world, order.seconds * 1000, async () => {
    const macs = world.lab.nodes.map((host) => host.nic().plan.mac);
    const { ipv4: ip } = holder;
    const node = { ip: ipOf(ip), mac: holder.nic().plan.mac };
    const { isUnicast, ...flood } = order;
    const target = { ips: floodedIps, node, spoofed: macs, isUnicast };
    const { ended } = await startFlood(world.client, { ...flood, target });
    return ended;
  });
  const { sent, ms } = renewed.result;
  const cpu = pids.map((pid, index) => (100 * (readCpuMs(pid) - (before.cpu[index] ?? 0))) / ms);
  const peakMb = Math.max(...pids.map(readPeakMemory));
  const areHeld = (await placesOf(world)) === before.places;
  const detectedMs = await dieAndWait(world, holder.name);
  return {
    framesPerSecond: (1000 * sent) / ms,
    peakMb,
    cpuPercent: Math.max(...cpu),
    renewals: renewed.least,
    areHeld,
    detectedMs,
  };
}

async function placesOf(world: AgentWorld): Promise<string> {
  const found = await Promise.all(floodedIps.map((ip) => world.places(ip)));
  return found.flat().join(', ');
}

async function holderOf(world: AgentWorld) {
  const [place = ''] = await world.places(floodedIps[0] ?? '');
  return world.lab.host(place.split(' ')[0] ?? '');
}

const lookEveryMs = 500;

/** How often each agent's Lease changed meanwhile. */
async function countRenewals<T>(world: AgentWorld, ms: number, act: () => Promise<T>) {
  const seen = new Map<string, Set<string>>();
  const look = async () => {
    for await (const { items } of world.cluster.list(leases, { namespace: installNamespace })) {
      for (const { metadata } of items) {
        const versions = seen.get(metadata.name) ?? new Set();
        seen.set(metadata.name, versions.add(metadata.resourceVersion ?? ''));
      }
    }
  };
  await look();
  const timer = setInterval(() => void look(), lookEveryMs);
  const result = await act().finally(() => clearInterval(timer));
  await look();
  const counts = [...seen.values()].map(({ size }) => size - 1);
  return { result, least: Math.min(...counts), ms };
}

async function dieAndWait(world: AgentWorld, node: string): Promise<number> {
  const since = monotonicMs();
  const died = await powerOff(world.lab.host(node));
  const from = Math.min(since, died.since);
  await Promise.all(floodedIps.map((ip) => world.onePlace(ip, 30_000)));
  return monotonicMs() - from;
}
