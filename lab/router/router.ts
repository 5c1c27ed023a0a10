/** A router that speaks BGP with the nodes, and what its kernel has learnt from them. */

import type { Host } from '../network/host.ts';

export interface RouterOptions {
  readonly host: Host;
  /** Networks of which hosts may connect. */
  readonly nodes: readonly string[];
  /** Nodes that are named one by one, instead of by their networks; FRR only. */
  readonly named?: readonly string[];
  readonly asn?: number;
  readonly nodesAsn?: number;
  /** Seconds; 9 by default. */
  readonly holdTime?: number;
  readonly password?: string | undefined;
  /** Of BFD, in milliseconds; off by default. */
  readonly bfdMs?: number;
  /** Prefixes that it sends to the nodes. */
  readonly sends?: readonly string[];
  /** Nodes may be this many hops away; 1 by default. */
  readonly hops?: number;
  /** Of which link-local addresses it takes sessions, and on which NIC; there it also tells that it is a router (RFC 4861). */
  readonly unnumbered?: { readonly nic: string; readonly nodes: readonly string[] };
}

export interface Router extends AsyncDisposable {
  readonly host: Host;
  start(): Promise<void>;
  /** Its connections break; its kernel keeps its routes until it starts anew. */
  kill(): Promise<void>;
  /** Both, with another configuration. */
  restart(other: Partial<RouterOptions>): Promise<void>;
  /** Breaks off all sessions; they may come back at once. */
  reset(): Promise<void>;
  /** What the router itself says. */
  show(command: string): Promise<string>;
  /** Addresses of the nodes that it has a session with. */
  neighbours(): Promise<readonly string[]>;
}

export const routerAsn = 64_501;
export const nodesAsn = 64_500;

/** Where the router's kernel sends packets for a prefix: addresses of nodes, sorted; empty if it has no such route. */
export async function waysTo(host: Host, prefix: string): Promise<readonly string[]> {
  const family = prefix.includes(':') ? '-6' : '-4';
  const { stdout } = await host.run(['ip', family, '-json', 'route', 'show', prefix]);
  const routes = JSON.parse(stdout || '[]') as readonly KernelRoute[];
  return routes.flatMap(hopsOf).sort();
}

/** Everything that the router's kernel has learnt by BGP: prefix → where it sends packets for it, sorted. */
export async function learntWays(host: Host): Promise<ReadonlyMap<string, readonly string[]>> {
  const lists = await Promise.all(
    ['-4', '-6'].map(async (family) => {
      const { stdout } = await host.run(['ip', family, '-json', 'route', 'show']);
      return JSON.parse(stdout || '[]') as readonly KernelRoute[];
    }),
  );
  return waysIn(lists.flat());
}

/** RTPROT_BGP, by which FRR marks its routes, and RTPROT_BIRD: not every iproute2 knows their names. */
const marks = ['bgp', '186', 'bird', '12'];

/** IPv6 routes may come one by one for each next hop. */
export function waysIn(routes: readonly KernelRoute[]): ReadonlyMap<string, readonly string[]> {
  const learnt = routes.filter(({ protocol = '' }) => marks.includes(protocol));
  const found = new Map<string, readonly string[]>();
  for (const route of learnt) {
    found.set(route.dst, [...(found.get(route.dst) ?? []), ...hopsOf(route)].sort());
  }
  return found;
}

function hopsOf({ gateway, nexthops = [], via }: KernelRoute): readonly string[] {
  return [
    ...(gateway === undefined ? [] : [gateway]),
    ...(via === undefined ? [] : [via.host]),
    ...nexthops.flatMap((hop) => hop.gateway ?? hop.via?.host ?? []),
  ];
}

/** The part of `ip -json route show` that is read. */
export interface KernelRoute {
  readonly dst: string;
  readonly protocol?: string;
  readonly gateway?: string;
  readonly via?: { readonly host: string };
  readonly nexthops?: readonly {
    readonly gateway?: string;
    readonly via?: { readonly host: string };
  }[];
}

/** Packets of one client to one address are spread by ports as well, not only by addresses. */
export async function spreadByPorts(host: Host): Promise<void> {
  for (const family of ['ipv4', 'ipv6']) {
    await host.sysctl(`net/${family}/fib_multipath_hash_policy`, 1);
  }
}
