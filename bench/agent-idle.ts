/** What an agent that has nothing to do costs, with the Services of the last burst. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentCluster } from './agent-cluster.ts';
import type { Stage } from './agent-latency.ts';
import { readCpuMs, readMemory } from './process-cost.ts';
import { quantile } from './quantile.ts';

const settleMs = 15_000;
const windowMs = 30_000;

export interface IdleFigures {
  /** Percent of a core, by agent. */
  readonly cpu: readonly number[];
  /** MB, by agent. */
  readonly memory: readonly number[];
  /** Of all agents, in the time that was measured. */
  readonly renewals: number;
  readonly otherWrites: number;
}

/** Waits until everything is written and announced for the last time, and measures then. */
export async function readIdle(cluster: AgentCluster): Promise<IdleFigures> {
  await sleep(settleMs);
  const pids = cluster.agents.map(({ pid }) => pid);
  const count = () => [...cluster.writes('agent')];
  const before = new Map(count());
  const cpuBefore = pids.map(readCpuMs);
  await sleep(windowMs);
  const cpu = pids.map(
    (pid, index) => (100 * (readCpuMs(pid) - (cpuBefore[index] ?? 0))) / windowMs,
  );
  const since = count().map(([what, all]) => [what, all - (before.get(what) ?? 0)] as const);
  const sum = (isCounted: (what: string) => boolean) =>
    since.reduce((total, [what, each]) => total + (isCounted(what) ? each : 0), 0);
  const isLease = (what: string) => what.endsWith(' leases');
  return {
    cpu,
    memory: pids.map(readMemory),
    renewals: sum(isLease),
    otherWrites: sum((what) => !isLease(what)),
  };
}

export async function measureIdle({ cluster, report }: Stage): Promise<void> {
  const { cpu, memory, renewals, otherWrites } = await readIdle(cluster);
  const perMinute = 60_000 / windowMs / cluster.agents.length;
  report.note(`idle: RSS ${memory.map((each) => each.toFixed(1)).join(', ')} MB`);
  report.note(`idle: CPU ${cpu.map((each) => each.toFixed(2)).join(', ')} % of a core`);
  const row = (name: string, value: number, unit: string, target: number) =>
    report.row({ name: `idle, 1,000 Services: ${name}`, value, unit, target, better: 'lower' });
  row('RSS of an agent, largest', Math.max(...memory), 'MB', 85);
  row('CPU of an agent, median', quantile(cpu, 0.5), '%', 1);
  // One every five seconds, and what the edges of the window add.
  row('renewals of the Lease per node and minute', renewals * perMinute, '', 13);
  row('other writes per node and minute', otherWrites * perMinute, '', 0);
}
