/** What the playground shows: its hosts, that they reach each other, and what the client counts. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Family, Ip } from '../../src/model/ip.ts';
import { unplug } from '../faults/cut.ts';
import type { Host, LinkReading } from '../network/host.ts';
import type { Lab } from '../network/lab.ts';
import { renderTable } from '../table.ts';
import { ping } from '../traffic/ping.ts';
import { startResponder } from '../traffic/responder.ts';
import { startUdpClient, type UdpClientReport } from '../traffic/udp-client.ts';

type Say = (text: string) => void;

const families = ['ipv4', 'ipv6'] as const satisfies readonly Family[];

export async function show(lab: Lab, say: Say): Promise<'well' | 'badly'> {
  const { nodes, segments } = lab;
  say(`A network of ${nodes.length} nodes, a router and a client on ${segments.length} LANs,`);
  say('in namespaces of its own: nothing it does can leave this machine.\n');
  say(renderTable(hostColumns, (await Promise.all(lab.hosts.map(hostRows))).flat()));
  const areReached = await showPings(lab, say);
  const isHeard = await showPackets(lab, say);
  return areReached && isHeard ? 'well' : 'badly';
}

const hostColumns = ['HOST', 'LINK', 'LAN', 'IPv4', 'IPv6', 'MAC', 'STATE'].map((title) => ({
  title,
}));

async function hostRows(host: Host): Promise<readonly (readonly string[])[]> {
  const links = await host.links();
  return links.map((link, index) => [
    index === 0 ? host.name : '',
    link.name,
    host.nics.find(({ name }) => name === link.name)?.segment.name ?? '',
    ...addressCells(link),
    link.mac,
    link.state.toLowerCase(),
  ]);
}

function addressCells({ addresses }: LinkReading): readonly string[] {
  const ips = addresses.map((address) => address.replace(/\/.*/, ''));
  return [ips.find((ip) => !ip.includes(':')) ?? '-', ips.find((ip) => ip.includes(':')) ?? '-'];
}

async function showPings({ client, nodes }: Lab, say: Say): Promise<boolean> {
  const times = await Promise.all(
    nodes.map((node) => Promise.all(families.map((family) => ping(client, node.address(family))))),
  );
  say('Ping from the client, across the router:');
  const columns = [{ title: 'NODE' }, ...['IPv4', 'IPv6'].map(figure)];
  say(
    renderTable(
      columns,
      nodes.map(({ name }, index) => [name, ...(times[index] ?? []).map(inMs)]),
    ),
  );
  return times.flat().every((time) => time !== undefined);
}

/** Undisturbed in both families, then with the node's cable pulled for a moment. */
async function showPackets(lab: Lab, say: Say): Promise<boolean> {
  const { client } = lab;
  const node = lab.node(1);
  await startResponder(node);
  const quiet = await Promise.all(families.map((family) => count(client, node.address(family))));
  const cut = await count(client, node.ipv4, async () => {
    await using _ = await unplug(node.nic());
    await sleep(200);
  });
  const rows = ['IPv4', 'IPv6', 'IPv4, cable out for 200 ms'];
  const reports = [...quiet, cut];
  say(`Numbered packets from the client to ${node.name}, 1,000 a second for a second:`);
  say(
    renderTable(
      packetColumns,
      reports.map((report, index) => [rows[index] ?? '', ...packetCells(report)]),
    ),
  );
  return reports.every(({ received }) => received > 0);
}

async function count(
  client: Host,
  to: Ip,
  disturb: () => Promise<void> = async () => {},
): Promise<UdpClientReport> {
  await using udp = await startUdpClient(client, { to, durationMs: 1000 });
  await sleep(400);
  await disturb();
  return await udp.finish();
}

const packetColumns = [
  { title: '' },
  ...['SENT', 'RECEIVED', 'LOST', 'OUTAGE', 'ROUND TRIP'].map(figure),
];

function packetCells(report: UdpClientReport): readonly string[] {
  const { sent, received, lost, longestOutageMs, roundTripMs } = report;
  const outage = lost === 0 ? 'none' : `${Math.round(longestOutageMs)} ms`;
  return [String(sent), String(received), String(lost), outage, inMs(roundTripMs.p50)];
}

function figure(title: string) {
  return { title, isRight: true };
}

function inMs(time: number | undefined): string {
  return time === undefined ? 'no answer' : `${time.toFixed(2)} ms`;
}
