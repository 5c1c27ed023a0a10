/**
 * The router's routes to addresses that are on no LAN: one over all nodes that have the address on their virtual link
 * and can be reached, as a routing daemon on each node would tell the router.
 */

import { familyOf } from '../../src/model/ip.ts';
import { formatPrefix, networkOf } from '../../src/model/prefix.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { Reconciler } from '../../src/runtime/reconciler.ts';
import type { Host } from '../network/host.ts';
import type { PlacedAddress } from './address-watch.ts';

const virtualLink = 'kube-lb0';

/** Prefix → its next hops, both in the order of their names. */
export type Routes = ReadonlyMap<string, readonly string[]>;

export function planRoutes(
  addresses: readonly PlacedAddress[],
  nodes: readonly Pick<Host, 'name' | 'address'>[],
): Routes {
  const found = new Map<string, Set<string>>();
  for (const { node, link, ip, prefixLength } of addresses) {
    const host = nodes.find(({ name }) => name === node);
    if (host === undefined || link !== virtualLink) continue;
    const prefix = formatPrefix(networkOf({ ip, length: prefixLength }));
    const hops = found.get(prefix) ?? new Set();
    found.set(prefix, hops.add(host.address(familyOf(ip))));
  }
  const sorted = [...found].sort(([left], [right]) => (left < right ? -1 : 1));
  return new Map(sorted.map(([prefix, hops]) => [prefix, [...hops].sort()]));
}

/** `ip -batch` text that leads from one state to the other. */
export function routeBatch(before: Routes, after: Routes): string {
  const gone = [...before.keys()].filter((prefix) => !after.has(prefix));
  const changed = [...after].filter(
    ([prefix, hops]) => hops.join() !== (before.get(prefix) ?? []).join(),
  );
  const lines = [
    ...changed.map(([prefix, hops]) => {
      return `route replace ${prefix} ${hops.map((hop) => `nexthop via ${hop}`).join(' ')}`;
    }),
    ...gone.map((prefix) => `route del ${prefix}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

export interface LearnedRoutesOptions {
  readonly router: Host;
  readonly clock: Clock;
  /** What the router would know now. */
  readonly wanted: () => Routes;
  readonly onError: (error: unknown) => void;
}

export class LearnedRoutes {
  readonly #options: LearnedRoutesOptions;
  readonly #reconciler: Reconciler<'routes'>;
  #known: Routes = new Map();

  constructor(options: LearnedRoutesOptions) {
    this.#options = options;
    this.#reconciler = new Reconciler({
      clock: options.clock,
      reconcile: async () => {
        await this.#apply();
        return {};
      },
      onError: ({ error }) => options.onError(error),
    });
  }

  /** By connection, not by pair of machines, so that one client reaches several nodes. */
  async start(): Promise<void> {
    const { router } = this.#options;
    const families = ['ipv4', 'ipv6'];
    await Promise.all(
      families.map((family) => router.sysctl(`net/${family}/fib_multipath_hash_policy`, 1)),
    );
    this.look();
  }

  /** Something may have changed. */
  look(): void {
    this.#reconciler.wake('routes');
  }

  async stop(): Promise<void> {
    await this.#reconciler.stop();
  }

  async #apply(): Promise<void> {
    const { router, wanted } = this.#options;
    const routes = wanted();
    const input = routeBatch(this.#known, routes);
    if (input !== '') await router.run(['ip', '-force', '-batch', '-'], { input });
    this.#known = routes;
  }
}
