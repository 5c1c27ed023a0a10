/** What the kernel shows, read anew only where it said that something changed: routing tables can be long. */

import { type DefaultRoutes, rideOutRoutes } from '../decide/announcement/ride-out-routes.ts';
import type { KernelView } from '../decide/announcement/survey-links.ts';
import { tellsOfLinks } from '../decide/announcement/tells-of-links.ts';
import type { Kernel, KernelEvent } from '../linux/kernel.ts';
import type { HeldAddress } from '../model/address.ts';
import type { Link } from '../model/link.ts';
import type { Route } from '../model/route.ts';
import type { Clock } from '../runtime/clock.ts';

type Part = keyof KernelView;

export interface KernelReaderSetup {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly onFailure: (what: Part, error: unknown) => void;
  /** Addresses could not be read for so long, and can be read again. */
  readonly onReadable: (unreadMs: number) => void;
}

/** However quiet the kernel is, all of it is looked at so often: an event may have been missed. */
const longestTrustMs = 30_000;

export class KernelReader {
  readonly #setup: KernelReaderSetup;
  readonly #stale = new Set<Part>(['links', 'addresses', 'routes']);
  #readAt = -Infinity;
  #links: readonly Link[] | undefined;
  #addresses: readonly HeldAddress[] | undefined;
  #routes: readonly Route[] | undefined;
  #defaultRoutes: DefaultRoutes | undefined;
  #wakeAt = Infinity;
  /** When addresses could first not be read; undefined: they can be. */
  #unreadSince: number | undefined;

  constructor(setup: KernelReaderSetup) {
    this.#setup = setup;
  }

  /** When what was read last counts differently, though nothing changes; in ms on the monotonic clock. */
  get wakeAt(): number {
    return this.#wakeAt;
  }

  note(event: KernelEvent): void {
    if ('address' in event) {
      this.#stale.add('addresses');
      // The kernel does not tell of every route that goes with an address; with ours none goes that counts.
      if (!event.address.isOurs) this.#stale.add('routes');
    } else if ('route' in event) this.#stale.add('routes');
    else this.#distrust();
  }

  async read(): Promise<KernelView> {
    const { kernel, clock } = this.#setup;
    if (clock.monotonic() - this.#readAt >= longestTrustMs) this.#distrust();
    // Lifetimes count down: addresses are never as they were.
    this.#stale.add('addresses');
    const due = new Set(this.#stale);
    if (due.size === 3) this.#readAt = clock.monotonic();
    if (due.has('links')) this.#links = await this.#try('links', () => kernel.links());
    if (due.has('routes')) this.#routes = await this.#try('routes', () => this.#readRoutes());
    const addresses = await this.readAddresses();
    const read = { links: this.#links, addresses, routes: this.#routes };
    const { view, memory, wakeAt } = rideOutRoutes(read, this.#defaultRoutes, clock.monotonic());
    this.#defaultRoutes = memory;
    this.#wakeAt = wakeAt;
    return view;
  }

  /** After a change of our own. */
  async readAddresses(): Promise<readonly HeldAddress[] | undefined> {
    const { kernel } = this.#setup;
    this.#addresses = await this.#try('addresses', () => kernel.addresses());
    this.#noteUnread(this.#addresses === undefined);
    return this.#addresses;
  }

  #noteUnread(isUnread: boolean): void {
    const { clock, onReadable } = this.#setup;
    const now = clock.monotonic();
    const since = this.#unreadSince;
    this.#unreadSince = isUnread ? (since ?? now) : undefined;
    if (!isUnread && since !== undefined) onReadable(now - since);
  }

  /** Those that nobody asks for are not kept: there may be very many. */
  async #readRoutes(): Promise<readonly Route[]> {
    return (await this.#setup.kernel.routes()).filter(tellsOfLinks);
  }

  #distrust(): void {
    this.#stale.add('links').add('addresses').add('routes');
  }

  /** What changes while it is being read is stale again afterwards. */
  async #try<T>(what: Part, read: () => Promise<T>): Promise<T | undefined> {
    this.#stale.delete(what);
    try {
      return await read();
    } catch (error) {
      this.#stale.add(what);
      this.#setup.onFailure(what, error);
      return undefined;
    }
  }
}
