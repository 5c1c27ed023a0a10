/** When the kernels of the nodes got which address, counted by their events: a dump for each would slow the nodes. */

import { setTimeout as sleep } from 'node:timers/promises';
import { inNamespace } from '../lab/in-namespace.ts';
import { monotonicMs } from '../lab/monotonic.ts';
import type { Host } from '../lab/network/host.ts';
import { NetlinkKernel } from '../src/linux/netlink-kernel.ts';
import type { HeldAddress } from '../src/model/address.ts';
import type { Ip } from '../src/model/ip.ts';

const lookEveryMs = 20;

export class KernelTally {
  /** Monotonic milliseconds of the first time that any node had the address. */
  readonly addedAt = new Map<Ip, number>();
  readonly #kernels: readonly NetlinkKernel[];
  readonly #waiting = new Map<Ip, (at: number) => void>();

  constructor(hosts: readonly Host[]) {
    this.#kernels = hosts.map(({ namespace }) => inNamespace(namespace, () => this.#watch()));
  }

  #watch(): NetlinkKernel {
    const kernel = new NetlinkKernel();
    kernel.changes((event) => {
      if (event.kind === 'address-added') this.#note(event.address);
      if (event.kind === 'resync') void this.#read(kernel);
    });
    return kernel;
  }

  /** Resolves to when the address came onto a node. */
  whenAdded(ip: Ip): Promise<number> {
    const at = this.addedAt.get(ip);
    if (at !== undefined) return Promise.resolve(at);
    return new Promise((resolve) => this.#waiting.set(ip, resolve));
  }

  /** Waits until so many addresses are on nodes; gives up, and resolves all the same, when the time is up. */
  async untilSize(size: number, withinMs: number): Promise<void> {
    const until = monotonicMs() + withinMs;
    while (this.addedAt.size < size && monotonicMs() < until) await sleep(lookEveryMs);
  }

  close(): void {
    for (const kernel of this.#kernels) kernel.close();
  }

  async #read(kernel: NetlinkKernel): Promise<void> {
    for (const address of await kernel.addresses()) this.#note(address);
  }

  #note({ ip, isOurs }: HeldAddress): void {
    if (!isOurs || this.addedAt.has(ip)) return;
    const at = monotonicMs();
    this.addedAt.set(ip, at);
    this.#waiting.get(ip)?.(at);
    this.#waiting.delete(ip);
  }
}
