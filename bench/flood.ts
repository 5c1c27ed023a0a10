/** What a host on the LAN can do to agents by frames alone: how many it sends, and what that costs them. */

import { floodKinds } from '../lab/flood/flood-frames.ts';
import { AgentWorld } from '../test/scenarios/agent-world.ts';
import { type FloodFigures, floodedIps, runFlood } from '../test/scenarios/flood-trial.ts';
import type { Bench, BenchReport } from './bench-report.ts';

const framesPerSecond = 50_000;
const seconds = 12;

export const flood: Bench = {
  name: 'flood',
  description: `three agents under up to ${framesPerSecond} hostile frames a second`,
  run: async (report, { only = '' }) => {
    report.note('the flood, the agents and the API server share the cores of this machine');
    for (const { name, ...order } of orders.filter((each) => each.name.includes(only))) {
      await using world = await AgentWorld.open();
      await world.members(world.lab.nodes.length);
      await world.service('web', { ips: floodedIps });
      for (const ip of floodedIps) await world.onePlace(ip);
      describe(report, name, await runFlood(world, { ...order, framesPerSecond, seconds }));
    }
  },
};

/** Echo replies go to one node in any case. */
const orders = floodKinds.flatMap((kind) => [
  { name: kind, kind, isUnicast: false },
  ...(kind === 'echo-replies' ? [] : [{ name: `${kind} to one node`, kind, isUnicast: true }]),
]);

function describe(report: BenchReport, kind: string, figures: FloodFigures): void {
  const row = (name: string, value: number, unit: string) => ({
    name: `${kind}: ${name}`,
    value,
    unit,
  });
  report.row({ ...row('frames per second', figures.framesPerSecond, ''), better: 'higher' });
  report.row({ ...row('peak RSS', figures.peakMb, 'MB'), target: 256, better: 'lower' });
  report.row({ ...row('CPU of an agent', figures.cpuPercent, '%'), better: 'lower' });
  report.row({ ...row('Lease renewals', figures.renewals, ''), target: 2, better: 'higher' });
  report.row({
    ...row('detection after', figures.detectedMs, 'ms'),
    target: 2000,
    better: 'lower',
  });
}
