/** All agents end and start again while a client speaks to every address: what it loses. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Ip } from '../src/model/ip.ts';
import type { Mac } from '../src/model/mac.ts';
import type { Stage } from './agent-latency.ts';

const perSecond = 1_000;
const downMs = 2_000;
const afterMs = 5_000;

export async function measureRestarts(stage: Stage, holders: ReadonlyMap<Ip, Mac>): Promise<void> {
  await fixNeighbours(stage, holders);
  const ips = [...holders.keys()];
  const how = { SIGTERM: 'stop', 'kill -9': 'kill' } as const;
  for (const [label, end] of Object.entries(how)) {
    const { cluster, prober, report } = stage;
    const stream = prober.stream(ips, perSecond);
    await sleep(1_000);
    await Promise.all(cluster.agents.map((agent) => agent[end]()));
    await sleep(downMs);
    await cluster.startAgents();
    await sleep(afterMs);
    const { sent, lost } = await stream.stop();
    report.note(`${label}: ${sent} packets to ${ips.length} addresses`);
    const name = `all agents restarted by ${label}: packets lost of ${perSecond}/s`;
    report.row({ name, value: lost, unit: '', target: 0, better: 'lower' });
    const moved = await countMoved(stage, holders);
    report.row({
      name: `… addresses that moved`,
      value: moved,
      unit: '',
      target: 0,
      better: 'lower',
    });
  }
}

/** A kernel has room for a thousand neighbours that it found by itself; those it is told of do not count. */
async function fixNeighbours({ cluster }: Stage, holders: ReadonlyMap<Ip, Mac>): Promise<void> {
  const lines = [...holders].map(
    ([ip, mac]) => `neigh replace ${ip} lladdr ${mac} dev eth0 nud permanent`,
  );
  await cluster.deployed.client.run(['ip', '-batch', '-'], { input: `${lines.join('\n')}\n` });
}

async function countMoved({ cluster }: Stage, holders: ReadonlyMap<Ip, Mac>): Promise<number> {
  const places = await Promise.all(
    cluster.deployed.lab.nodes.map(async (host) => {
      const links = await host.links();
      return links.flatMap(({ mac, addresses }) =>
        addresses.map((address) => [address.split('/')[0] ?? '', mac] as const),
      );
    }),
  );
  const now = new Map<string, Mac>(places.flat());
  return [...holders].filter(([ip, mac]) => now.get(ip) !== mac).length;
}
