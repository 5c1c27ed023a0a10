/** A router that speaks BGP with the nodes, and what its kernel has learnt from them. */

import type { Host } from '../network/host.ts';

export interface RouterOptions {
  readonly host: Host;
  /** Networks of which hosts may connect. */
  readonly nodes: readonly string[];
  readonly asn?: number;
  readonly nodesAsn?: number;
  /** Seconds; 9 by default. */
  readonly holdTime?: number;
  readonly password?: string;
  /** Of BFD, in milliseconds; off by default. */
  readonly bfdMs?: number;
  /** Prefixes that it sends to the nodes. */
  readonly sends?: readonly string[];
}

export interface Router extends AsyncDisposable {
  readonly host: Host;
  start(): Promise<void>;
  /** Its connections break; its kernel keeps its routes until it starts anew. */
  kill(): Promise<void>;
}

export const routerAsn = 64_501;
export const nodesAsn = 64_500;

/** Where the router's kernel sends packets for a prefix: addresses of nodes, sorted; empty if it has no such route. */
export async function waysTo(host: Host, prefix: string): Promise<readonly string[]> {
  const family = prefix.includes(':') ? '-6' : '-4';
  const { stdout } = await host.run(['ip', family, '-json', 'route', 'show', prefix]);
  const routes = JSON.parse(stdout || '[]') as readonly KernelRoute[];
  return routes
    .flatMap(({ gateway, nexthops = [], via }) => [
      ...(gateway === undefined ? [] : [gateway]),
      ...(via === undefined ? [] : [via.host]),
      ...nexthops.flatMap((hop) => hop.gateway ?? hop.via?.host ?? []),
    ])
    .sort();
}

interface KernelRoute {
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
