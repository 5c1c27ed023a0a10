/** What the nodes of a calm cluster do: CPU as the kernel counts it, frames as they are seen on the segment. */

import { setTimeout as sleep } from 'node:timers/promises';
import { capture } from '../lab/capture/capture.ts';
import type { CapturedFrame } from '../lab/capture/pcap.ts';
import type { AgentCluster } from './agent-cluster.ts';
import { readCpuMs, readMemory } from './process-cost.ts';
import { quantile } from './quantile.ts';

export interface Spread {
  readonly median: number;
  readonly most: number;
}

/** Over the nodes. */
export interface CalmFigures {
  /** Percent of a core, of the agent. */
  readonly cpu: Spread;
  /** Sent per second, questions and the kernel's answers together. */
  readonly packets: Spread;
  /** Of the agents: probes and announcements. */
  readonly arp: Spread;
  /** Of the kernels, which make sure now and then that their neighbours are still there. */
  readonly kernelArp: Spread;
  /** MB. */
  readonly memory: Spread;
}

/** Until addresses were announced for the last time, written, and each asked for twice: 200 of a node take 20 s. */
const settleMs = 45_000;
const windowMs = 60_000;
/** On a machine that is too busy agents are kept from running, and ask for everything anew: that is not calm. */
const mostWindows = 3;
const filter = 'arp or icmp or icmp6 or udp port 7476';
const etherTypeArp = 0x0806;

export async function measureCalm(
  cluster: AgentCluster,
  say: (text: string) => void,
): Promise<CalmFigures> {
  say(`settling for ${settleMs / 1000} s`);
  await sleep(settleMs);
  for (let windows = 1; ; windows += 1) {
    const before = await countDoubts(cluster);
    say(`measuring for ${windowMs / 1000} s`);
    const figures = await measureWindow(cluster);
    const doubts = (await countDoubts(cluster)) - before;
    if (doubts > 0) say(`agents were kept from running ${doubts} times: the machine is too busy`);
    if (doubts === 0 || windows === mostWindows) return figures;
  }
}

async function measureWindow({ deployed, agents }: AgentCluster): Promise<CalmFigures> {
  const pids = agents.map(({ pid }) => pid);
  await using capturing = await capture(deployed.lab.segment('lan1'), { filter });
  const before = pids.map(readCpuMs);
  const startedAt = performance.now();
  await sleep(windowMs);
  const tookMs = performance.now() - startedAt;
  const cpu = pids.map((pid, index) => (100 * (readCpuMs(pid) - (before[index] ?? 0))) / tookMs);
  const frames = await capturing.stop();
  const perSecond = (isCounted: (frame: CapturedFrame) => boolean) =>
    deployed.lab.nodes.map((host) => {
      const { mac } = host.nic().plan;
      const sent = frames.filter((frame) => frame.source === mac && isCounted(frame));
      return (1000 * sent.length) / tookMs;
    });
  const isArp = ({ etherType }: CapturedFrame) => etherType === etherTypeArp;
  return {
    cpu: spreadOf(cpu),
    packets: spreadOf(perSecond(() => true)),
    arp: spreadOf(perSecond((frame) => isArp(frame) && isOfAgent(frame))),
    kernelArp: spreadOf(perSecond((frame) => isArp(frame) && !isOfAgent(frame))),
    memory: spreadOf(pids.map(readMemory)),
  };
}

/** Agents ask without an address of their own, and announce one that is both sender and target. */
function isOfAgent({ bytes }: CapturedFrame): boolean {
  const sender = bytes.subarray(28, 32);
  const target = bytes.subarray(38, 42);
  const isNobody = sender.every((byte) => byte === 0);
  return isNobody || sender.every((byte, index) => byte === target[index]);
}

async function countDoubts({ deployed }: AgentCluster): Promise<number> {
  const counts = deployed.lab.nodes.map(async ({ ipv4 }) => {
    const text = await (await fetch(`http://${ipv4}:7472/metrics`)).text();
    const found = [...text.matchAll(/^purelb_lbnodeagent_doubts_total\{[^}]*\} (\d+)$/gm)];
    return found.reduce((sum, [, count]) => sum + Number(count), 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), most: Math.max(...values) };
}
