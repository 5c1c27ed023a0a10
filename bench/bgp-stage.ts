/** What the bench of BGP runs on: three nodes with agent and gobgpd, a router, and an eye on both kernels. */

import { eventually } from '../lab/eventually.ts';
import { inNamespace } from '../lab/in-namespace.ts';
import type { Host } from '../lab/network/host.ts';
import { type RouterKind, routerTitles } from '../lab/router/start-router.ts';
import { startResponder } from '../lab/traffic/responder.ts';
import type { KernelEvent } from '../src/linux/kernel.ts';
import { NetlinkKernel } from '../src/linux/netlink-kernel.ts';
import { BgpWorld } from '../test/scenarios/bgp-world.ts';
import { addIdleLink } from '../test/scenarios/host-kernel.ts';
import type { BenchReport } from './bench-report.ts';

export const bfdMs = 100;
export const everywhere = '203.0.113.130';
const patience = { withinMs: 60_000, everyMs: 20 };

export interface BgpStage {
  readonly bgp: BgpWorld;
  readonly router: string;
  readonly report: BenchReport;
}

const routerOptions = { bfdMs, holdTime: 90 };

/** One address is on all nodes, and the router knows; sessions have a hold time of 90 s, and no BFD. */
export async function onBgpStage(
  kind: RouterKind,
  report: BenchReport,
  use: (stage: BgpStage) => Promise<void>,
): Promise<void> {
  await using bgp = await BgpWorld.open({ router: kind, routerOptions });
  await addIdleLink(bgp.world.lab.node(1), bulkLink);
  const interfaceList = ['kube-lb0', bulkLink];
  await bgp.configure({
    neighbors: neighborsOf(bgp),
    netlinkImport: { enabled: true, interfaceList },
  });
  await bgp.world.service('everywhere', { group: 'public', type: 'remote', ips: [everywhere] });
  await bgp.leadsTo(everywhere, bgp.numbers, 60_000);
  await Promise.all(bgp.world.lab.nodes.map((host) => startResponder(host)));
  await use({ bgp, router: routerTitles[kind], report });
}

/** On node 1, for addresses of no Service: on kube-lb0 they would not be advertised. */
export const bulkLink = 'bulk0';

export function neighborsOf(bgp: BgpWorld, extra: object = {}): readonly object[] {
  const timers = { config: { connectRetry: 1, holdTime: 90, keepaliveInterval: 30 } };
  return [bgp.neighbor({}, { timers, ...extra })];
}

/** When the kernel of a host said what, by the clock of this process. */
export class KernelEye implements Disposable {
  readonly #kernel: NetlinkKernel;
  readonly seen = new Map<string, number>();

  constructor({ namespace }: Host) {
    this.#kernel = inNamespace(namespace, () => {
      const kernel = new NetlinkKernel();
      kernel.changes((event) => this.#note(event));
      return kernel;
    });
  }

  /** Of the first event of that kind about the address, in ms. */
  async at(kind: KernelEvent['kind'], ip: string): Promise<number> {
    return eventually(() => {
      const found = this.seen.get(`${kind} ${ip}`);
      if (found === undefined) throw new Error(`no ${kind} of ${ip}`);
      return found;
    }, patience);
  }

  [Symbol.dispose](): void {
    this.#kernel.close();
  }

  #note(event: KernelEvent): void {
    const ip = ipIn(event);
    const key = `${event.kind} ${ip}`;
    if (ip !== undefined && !this.seen.has(key)) this.seen.set(key, performance.now());
  }
}

function ipIn(event: KernelEvent): string | undefined {
  if ('address' in event) return event.address.ip;
  return 'route' in event ? event.route.destination?.ip : undefined;
}
