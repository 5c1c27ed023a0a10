import { NetlinkKernel } from '../../src/linux/netlink-kernel.ts';
import type { Ip } from '../../src/model/ip.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { Reconciler } from '../../src/runtime/reconciler.ts';
import { inNamespace } from '../in-namespace.ts';
import type { Host } from '../network/host.ts';

export interface PlacedAddress {
  readonly node: string;
  readonly link: string;
  readonly ip: Ip;
  readonly prefixLength: number;
}

interface Watched {
  readonly kernel: NetlinkKernel;
  readonly stop: () => void;
}

export interface AddressWatchOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Which node has which load balancer address on which link, as the kernels of the nodes tell it, all the time. */
export class AddressWatch {
  readonly #watched = new Map<string, Watched>();
  readonly #held = new Map<string, readonly PlacedAddress[]>();
  readonly #listeners = new Set<() => void>();
  /** What changes while a node is read is read once more after: to read for each of many would disturb whom it watches. */
  readonly #reconciler: Reconciler;

  constructor({ clock, onError }: AddressWatchOptions) {
    this.#reconciler = new Reconciler({
      clock,
      reconcile: async (node) => {
        await this.#read(node);
        return {};
      },
      onError: ({ error }) => onError(error),
    });
  }

  /** Those with PureLB's mark. */
  get addresses(): readonly PlacedAddress[] {
    return [...this.#held.values()].flat();
  }

  /** Called whenever `addresses` may have changed. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A node that was switched on. */
  watch({ name, namespace }: Host): void {
    this.forget(name);
    const watched = inNamespace(namespace, () => {
      const kernel = new NetlinkKernel();
      const stop = kernel.changes((event) => {
        if (!event.kind.startsWith('route')) this.#reconciler.wake(name);
      });
      return { kernel, stop };
    });
    this.#watched.set(name, watched);
    this.#reconciler.wake(name);
  }

  /** A node that is switched off. An open socket would keep its kernel's memory alive. */
  forget(name: string): void {
    const watched = this.#watched.get(name);
    this.#watched.delete(name);
    watched?.stop();
    watched?.kernel.close();
    if (this.#held.delete(name)) this.#tell();
  }

  close(): void {
    this.#listeners.clear();
    void this.#reconciler.stop();
    for (const name of [...this.#watched.keys()]) this.forget(name);
  }

  /** One that was switched off meanwhile has nothing to tell, nor an error. */
  async #read(node: string): Promise<void> {
    const watched = this.#watched.get(node);
    if (watched === undefined) return;
    const isCurrent = () => this.#watched.get(node) === watched;
    try {
      const held = await watched.kernel.addresses();
      if (!isCurrent()) return;
      const ours = held.filter(({ isOurs }) => isOurs);
      this.#note(
        node,
        ours.map(({ link, ip, prefixLength }) => ({ node, link, ip, prefixLength })),
      );
    } catch (error) {
      if (isCurrent()) throw error;
    }
  }

  /** Kernels tell of much that is none of our business. */
  #note(node: string, held: readonly PlacedAddress[]): void {
    const isSame = JSON.stringify(held) === JSON.stringify(this.#held.get(node) ?? []);
    this.#held.set(node, held);
    if (!isSame) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
