import { NetlinkKernel } from '../../src/linux/netlink-kernel.ts';
import type { Ip } from '../../src/model/ip.ts';
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
  readonly reading: { isUnderWay: boolean; isStale: boolean };
}

/** Which node has which load balancer address on which link, as the kernels of the nodes tell it, all the time. */
export class AddressWatch {
  readonly #watched = new Map<string, Watched>();
  readonly #held = new Map<string, readonly PlacedAddress[]>();
  readonly #listeners = new Set<() => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
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
    const watched = inNamespace(namespace, (): Watched => {
      const kernel = new NetlinkKernel();
      const stop = kernel.changes((event) => {
        if (!event.kind.startsWith('route')) this.#read(name, watched);
      });
      return { kernel, stop, reading: { isUnderWay: false, isStale: false } };
    });
    this.#watched.set(name, watched);
    this.#read(name, watched);
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
    for (const name of [...this.#watched.keys()]) this.forget(name);
  }

  /** What changes while it is read is read once more after: who reads for each of many disturbs whom it watches. */
  #read(node: string, watched: Watched): void {
    const { reading } = watched;
    reading.isStale = true;
    if (reading.isUnderWay) return;
    reading.isUnderWay = true;
    const isCurrent = () => this.#watched.get(node) === watched;
    this.#readAll(node, watched, isCurrent)
      .catch((error) => isCurrent() && this.#onError(error))
      .finally(() => {
        reading.isUnderWay = false;
      });
  }

  async #readAll(
    node: string,
    { kernel, reading }: Watched,
    isCurrent: () => boolean,
  ): Promise<void> {
    while (reading.isStale && isCurrent()) {
      reading.isStale = false;
      const held = await kernel.addresses();
      if (!isCurrent()) return;
      this.#note(
        node,
        held
          .filter(({ isOurs }) => isOurs)
          .map(({ link, ip, prefixLength }) => ({ node, link, ip, prefixLength })),
      );
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
