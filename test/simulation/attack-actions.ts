/** What a host on the LAN and a tenant of the cluster do to make others lose an address, as faults that are drawn. */

import type { FakePort } from '../../src/linux/fake-segment.ts';
import type { Ip } from '../../src/model/ip.ts';
import { macOf } from '../../src/model/mac.ts';
import { type NeighbourFrame, unspecifiedIp } from '../../src/model/neighbour-frame.ts';
import { allNodes, multicastMac } from '../../src/wire/multicast.ts';
import { isInPools } from './address-plan.ts';
import { Chance } from './chance.ts';
import type { Action, FaultWorld } from './fault-world.ts';
import { forge } from './forger.ts';
import type { Simulation } from './simulation.ts';

/** Both the Ethernet header and the content name a member: no node can tell the frame from the member's own. */
export const spoofedFrames: Action = ({ simulation, isActive }, node, { dice }) => {
  if (isActive('spoofed-frames')) return undefined;
  const { ips } = simulation;
  const chance = new Chance(dice);
  const everyMs = chance.pick([50, 100, 200]);
  const end = forge(simulation, {
    how: 'spoofed',
    what: 'announcements',
    ips,
    everyMs,
    victims: () => [node],
  });
  const told = `a host announces every address from the MAC of ${node.name} every ${everyMs} ms`;
  return { what: told, nodes: [], end };
};

const replierMac = macOf('02:00:00:01:00:67');

/** For addresses in use and for others. Clients do not hear it: what is measured is what the nodes make of it. */
export const repliesToAll: Action = ({ simulation, weather, isActive }) => {
  if (isActive('replies-to-all')) return undefined;
  const unplug = plugReplier(simulation);
  const end = () => {
    unplug();
    weather.forget(replierMac);
  };
  return { what: 'a host replies to every probe with its own MAC', nodes: [], end };
};

/** A host that replies to every probe of a node for an address of the pools; the result unplugs it. */
export function plugReplier({ segment, nodes }: Simulation): () => void {
  const port: FakePort = {
    mac: replierMac,
    receive: (frame, at) => {
      if (!nodes.some((node) => node.hasMac(frame.from))) return;
      const reply = replyTo(frame);
      if (reply !== undefined) segment.carry(reply, port, at);
    },
  };
  segment.plug(port);
  return () => segment.unplug(port);
}

function replyTo(frame: NeighbourFrame): NeighbourFrame | undefined {
  const mac = replierMac;
  if (frame.kind === 'arp') {
    const { operation, sender, target } = frame;
    if (operation !== 'request' || sender.ip === target.ip || !isInPools(target.ip))
      return undefined;
    const path = { kind: 'arp', operation: 'reply', from: mac, to: sender.mac } as const;
    return { ...path, sender: { mac, ip: target.ip }, target: sender };
  }
  if (frame.kind !== 'neighbour-solicitation' || !isInPools(frame.target)) return undefined;
  const isProbe = frame.source === unspecifiedIp.ipv6;
  return {
    kind: 'neighbour-advertisement',
    from: mac,
    to: isProbe ? multicastMac(allNodes) : frame.from,
    source: frame.target,
    destination: isProbe ? allNodes : frame.source,
    target: frame.target,
    targetMac: mac,
    isRouter: false,
    isSolicited: !isProbe,
    overrides: true,
  };
}

const tenantIps = ['192.0.2.198', '2001:db8:1::198'] as const;
const services = '/api/v1/namespaces/shop/services';
const forgeEveryMs = 500;

/** By someone who may edit one Service of a namespace: a LoadBalancer of their own, and one that never had an address. */
export const tenantForges: Action = (world, _node, { dice }) => {
  if (world.isActive('tenant-forges')) return undefined;
  const { simulation } = world;
  const chance = new Chance(dice);
  const names = [`tenant-${dice}`, `tenant-${dice}-internal`] as const;
  createServices(simulation, names);
  const stop = repeat(world, () => {
    const annotations = drawForgery(simulation, chance);
    simulation.send('PATCH', `${services}/${chance.pick(names)}`, { metadata: { annotations } });
  });
  const end = () => {
    stop();
    for (const name of names) simulation.send('DELETE', `${services}/${name}`);
  };
  return { what: "a tenant forges PureLB's annotations on its Services", nodes: [], end };
};

function createServices(simulation: Simulation, [own, internal]: readonly [string, string]): void {
  const ports = [{ port: 80 }];
  const families = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
  simulation.send('POST', services, {
    metadata: { name: own },
    spec: { type: 'LoadBalancer', ports, ...families },
  });
  const annotations = {
    'purelb.io/allocated-by': 'PureLB',
    'purelb.io/allocated-from': 'default',
    'purelb.io/pool-type': 'local',
  };
  const status = { loadBalancer: { ingress: tenantIps.map((ip) => ({ ip })) } };
  simulation.send('PATCH', `${services}/${own}/status`, { metadata: { annotations }, status });
  simulation.send('POST', services, {
    metadata: { name: internal },
    spec: { type: 'ClusterIP', ports },
  });
}

function drawForgery(simulation: Simulation, chance: Chance): Readonly<Record<string, string>> {
  const others: readonly Ip[] = simulation.ips;
  const ips = [...others, ...tenantIps, '198.51.100.1', '2001:db8:f::1'];
  const nodes = [...simulation.nodes.map(({ name }) => name), 'nobody'];
  const slot = () => `${chance.pick(nodes)},eth0,${chance.pick(ips)}`;
  const time = new Date(simulation.clock.now()).toISOString().replace(/\.\d+/, '');
  return chance.pick<Readonly<Record<string, string>>>([
    { 'purelb.io/announcing-IPv4': `${slot()} ${slot()}`, 'purelb.io/announcing-IPv6': slot() },
    { 'purelb.io/conflict': `${chance.pick(ips)},02:00:00:00:00:66,node1,${time}` },
    { 'purelb.io/allocated-prefixes': ips.map((ip) => `${ip}/${chance.pick([2, 8])}`).join() },
    {
      'purelb.io/allocated-by': 'PureLB',
      'purelb.io/allocated-prefixes': `${chance.pick(ips)}/24`,
    },
    { 'purelb.io/pool-type': 'remote', 'purelb.io/allocated-from': chance.pick(['', 'other']) },
    { 'purelb.io/added-to': `${chance.pick(nodes)}/eth0`, 'purelb.io/skip-ipv6-dad': 'true' },
  ]);
}

function repeat({ after }: FaultWorld, act: () => void): () => void {
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    act();
    after(forgeEveryMs, turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}
