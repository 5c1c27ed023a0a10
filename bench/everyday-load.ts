/** Five hundred Services at once, and what they cost when nothing changes any more. */

import { type BurstFigures, runBurst } from './agent-burst.ts';
import type { AgentCluster } from './agent-cluster.ts';
import { readIdle } from './agent-idle.ts';
import type { EverydayStage } from './everyday-stage.ts';

const count = 500;

/** The Services are created once, by the first part that needs them. */
export class EverydayLoad {
  readonly #cluster: AgentCluster;
  #burst: Promise<BurstFigures> | undefined;

  constructor(cluster: AgentCluster) {
    this.#cluster = cluster;
  }

  create(): Promise<BurstFigures> {
    this.#burst ??= runBurst(this.#cluster, count);
    return this.#burst;
  }
}

export async function measureBurst({ load, report }: EverydayStage): Promise<void> {
  const { createdMs, tookMs, cpuMs, writes, sums, conflicts } = await load.create();
  const label = `${count} Services at once`;
  report.note(`${label}: created in ${(createdMs / 1000).toFixed(1)} s; writes: ${writes}`);
  report.note(`${label}: CPU of the agents ${cpuMs.map((ms) => ms / 1000).join(', ')} s`);
  const byWrite = Map.groupBy(conflicts, (what) => what);
  for (const [what, each] of byWrite) report.note(`${label}: conflicts: ${what} ${each.length}`);
  const row = (name: string, value: number, unit: string, target?: number) =>
    report.row({
      name: `${label}${name}`,
      value,
      unit,
      ...(target === undefined ? {} : { target }),
      better: 'lower',
    });
  row(', until all answer', tookMs / 1000, 's', 6);
  row(': CPU of an agent, most', Math.max(...cpuMs) / 1000, 's', 1.5);
  row(': API writes with Events, without Leases', sums.others + sums.events, '', 2_050);
  row(': … of these Events', sums.events, '');
  row(': conflicts', conflicts.length, '', 0);
  row(': writes of Leases', sums.renewals, '');
}

export async function measureIdle({ cluster, load, report }: EverydayStage): Promise<void> {
  await load.create();
  const { cpu, memory } = await readIdle(cluster);
  report.note(`idle: CPU ${cpu.map((each) => each.toFixed(2)).join(', ')} % of a core`);
  report.note(`idle: RSS ${memory.map((each) => each.toFixed(1)).join(', ')} MB`);
  const name = `idle, ${count} Services: CPU of an agent, most`;
  report.row({ name, value: Math.max(...cpu), unit: '%', target: 0.3, better: 'lower' });
}
