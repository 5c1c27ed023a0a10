/** Plans the network of a whole cluster: LANs of nodes that carry pods, a router, clients, and a server for the API. */

import { familyOf, type Ip } from '../../src/model/ip.ts';
import { outsideSegment, podSubnets, serverNumber } from './address-plan.ts';
import type { HostPlan, NetworkPlan, RoutePlan } from './network-plan.ts';
import { planHost, planLan } from './plan-lan.ts';

export const serverName = 'server';

export interface ClusterNetwork {
  /** Nodes on each LAN: `[3, 2]`. */
  readonly nodes: readonly number[];
  /** The segments of the clients; one beyond the router by default. */
  readonly clients?: readonly string[];
}

/** Nodes know the way to each other's pods on their LAN, the router knows it to all of them. */
export function planCluster({ nodes, clients = [] }: ClusterNetwork): NetworkPlan {
  const outside = clients.includes(outsideSegment.name)
    ? clients
    : [...clients, outsideSegment.name];
  const { segments, hosts } = planLan({ nodes, clients: outside });
  const server = planHost({
    name: serverName,
    role: 'server',
    number: serverNumber,
    segments: [outsideSegment],
    hasRouter: true,
  });
  const podRoutes = routesToPods(hosts);
  return { segments, hosts: [...hosts.map((host) => withPods(host, podRoutes)), server] };
}

/** The number in the name of a node: 4 of `node4`. */
export function nodeNumber({ name }: Pick<HostPlan, 'name'>): number {
  return Number(name.replace(/^node/, ''));
}

interface PodRoute {
  readonly node: HostPlan;
  readonly route: RoutePlan;
}

function routesToPods(hosts: readonly HostPlan[]): readonly PodRoute[] {
  const nodes = hosts.filter(({ role }) => role === 'node');
  return nodes.flatMap((node) =>
    podSubnets(nodeNumber(node)).map((to) => ({
      node,
      route: { to, via: addressOf(node, familyOf(to.ip)) },
    })),
  );
}

function withPods(host: HostPlan, routes: readonly PodRoute[]): HostPlan {
  if (host.role === 'router') return { ...host, routes: routes.map(({ route }) => route) };
  if (host.role !== 'node') return host;
  const beside = routes.filter(
    ({ node }) => node !== host && node.nics[0]?.segment === host.nics[0]?.segment,
  );
  return { ...host, forwards: true, routes: [...host.routes, ...beside.map(({ route }) => route)] };
}

function addressOf({ name, nics }: HostPlan, family: 'ipv4' | 'ipv6'): Ip {
  const found = nics[0]?.addresses.find(({ ip }) => familyOf(ip) === family);
  if (found === undefined) throw new RangeError(`${name} has no ${family} address`);
  return found.ip;
}
