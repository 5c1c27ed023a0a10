/** What watching costs while all is well, however many addresses there are: CPU, packets and ARP of each node. */

import { ensureBinaries } from '../lab/control-plane/binaries.ts';
import { renderTable } from '../lab/table.ts';
import { bundle } from '../scripts/bundle.ts';
import { AgentCluster, nodeCount } from './agent-cluster.ts';
import type { Bench, BenchReport } from './bench-report.ts';
import { serveAddresses } from './cost-addresses.ts';
import { type CalmFigures, measureCalm } from './cost-calm.ts';
import { simulateCalm } from './cost-simulated.ts';

const loads: readonly number[] = [1, 200, 1_000];
const simulated = { nodes: 100, addresses: 100 };

export const cost: Bench = {
  name: 'cost',
  description:
    'idle CPU, packets/s, ARP/s per node with 1, 200, 1,000 addresses; 100 nodes simulated',
  async prepare(log) {
    const problems = await ensureBinaries(['etcd', 'kube-apiserver'], log);
    for (const problem of problems) log(`${problem}: the embedded API server is used`);
    await bundle();
  },
  async run(report) {
    const say = (text: string) => report.note(text);
    say('about ten minutes, half of which the simulation takes');
    const lines: string[][] = [];
    {
      await using cluster = await AgentCluster.open();
      for (const addresses of loads) {
        await serveAddresses(cluster, addresses, say);
        const figures = await measureCalm(cluster, say);
        addRows(report, nameOf(nodeCount, addresses), figures);
        lines.push(describe(nameOf(nodeCount, addresses), figures));
        say(summarize(nameOf(nodeCount, addresses), figures));
      }
    }
    lines.push(await measureSimulated(report));
    const columns = headings.map((title, index) => ({ title, isRight: index > 0 }));
    for (const line of renderTable(columns, lines).trimEnd().split('\n')) say(line);
    for (const line of legend) say(line);
  },
};

function nameOf(nodes: number, addresses: number): string {
  const count = addresses.toLocaleString('en-US');
  return `${nodes} nodes, ${count} address${addresses === 1 ? '' : 'es'}`;
}

const headings = [
  'per node',
  'CPU %, median',
  'most',
  'packets/s, median',
  'most',
  'ARP/s, most',
  'of the kernel',
  'RSS, most (MB)',
];

const legend = [
  'Of the agent: CPU in percent of one core, ARP (probes and announcements), memory.',
  'Packets: all that a node sends of ARP, ICMP and hints, questions and answers alike.',
  "Of the kernel: ARP by which it makes sure now and then that the node's neighbours are there.",
  'Simulated nodes have no CPU, kernel or memory of their own; how long a pass takes stands below.',
];

function describe(name: string, figures: CalmFigures): string[] {
  const { cpu, packets, arp, kernelArp, memory } = figures;
  return [
    name,
    cpu.median.toFixed(2),
    cpu.most.toFixed(2),
    packets.median.toFixed(1),
    packets.most.toFixed(1),
    arp.most.toFixed(2),
    kernelArp.most.toFixed(2),
    memory.most.toFixed(0),
  ];
}

/** At once: the table comes at the end. */
function summarize(name: string, { cpu, packets, arp }: CalmFigures): string {
  const [most, frames, asked] = [cpu.most, packets.most, arp.most].map((each) => each.toFixed(2));
  return `${name}: CPU at most ${most} %, ${frames} packets/s, ${asked} ARP/s`;
}

function addRows(report: BenchReport, name: string, { cpu, packets, arp }: CalmFigures): void {
  const row = (what: string, value: number, unit: string, target: number) =>
    report.row({ name: `${name}: ${what}`, value, unit, target, better: 'lower' });
  row('CPU of an agent, median', cpu.median, '%', 1);
  row('packets/s of a node, most', packets.most, '', 50);
  row('ARP/s of an agent, most', arp.most, '', 0);
}

async function measureSimulated(report: BenchReport): Promise<string[]> {
  const { nodes, addresses } = simulated;
  const figures = await simulateCalm(nodes, addresses, (text) => report.note(text));
  const name = `${nameOf(nodes, addresses)}, simulated`;
  const shared = { unit: '', better: 'lower' } as const;
  const { packets, arp, passMs } = figures;
  report.row({ name: `${name}: packets/s, most`, value: packets.most, target: 50, ...shared });
  report.row({ name: `${name}: ARP/s, most`, value: arp, target: 0, ...shared });
  report.row({ name: `${name}: a pass, median`, value: passMs, unit: 'ms', better: 'lower' });
  const { median, most } = packets;
  return [name, '', '', median.toFixed(1), most.toFixed(1), arp.toFixed(2), '', ''];
}
