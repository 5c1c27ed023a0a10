/** What the kernel multicasts about links, addresses and routes, as events in our words. */

import type { Link } from '../model/link.ts';
import { decodeAddress, RTM_DELADDR, RTM_NEWADDR } from '../wire/address-message.ts';
import {
  decodeLink,
  isAboutLink,
  linkFromMessage,
  RTM_DELLINK,
  RTM_NEWLINK,
} from '../wire/link-message.ts';
import { decodeMessages, type NetlinkMessage } from '../wire/netlink-message.ts';
import { decodeRoute, isDerivedRoute, RTM_DELROUTE, RTM_NEWROUTE } from '../wire/route-message.ts';
import { WireError } from '../wire/wire-error.ts';
import { heldAddress } from './held-address.ts';
import type { KernelEvent } from './kernel.ts';
import { errno } from './libc.ts';
import type { NetlinkSocket } from './netlink-socket.ts';
import { Turn } from './turn.ts';

const receiveBytes = 65536;
/** What the kernel says of a link that is new: it may have been in the table that was read meanwhile. */
const everyFlag = 0xffffffff;

export interface KernelEventsOptions {
  readonly socket: NetlinkSocket;
  readonly readLinks: () => Promise<readonly Link[]>;
  readonly listener: (event: KernelEvent) => void;
  /** Milliseconds, for giving others their turn. */
  readonly now?: () => number;
}

/**
 * Addresses name their link by number only, so a table of links is kept from the link events themselves; it is read
 * anew whenever events were lost. Nothing is received while it is being read: the kernel keeps what comes meanwhile.
 */
export class KernelEvents {
  readonly #socket: NetlinkSocket;
  readonly #readLinks: () => Promise<readonly Link[]>;
  readonly #listener: (event: KernelEvent) => void;
  readonly #now: () => number;
  readonly #received = new Uint8Array(receiveBytes);
  #names = new Map<number, string>();
  #hasLost = false;
  #stopPolling: (() => void) | undefined;
  #isStopped = false;

  constructor({ socket, readLinks, listener, now }: KernelEventsOptions) {
    this.#socket = socket;
    this.#readLinks = readLinks;
    this.#listener = listener;
    this.#now = now ?? (() => performance.now());
  }

  /** Resolves when events flow; those since the socket was opened are not missed. */
  async start(): Promise<void> {
    await this.#readNames();
    this.#poll();
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#stopPolling?.();
    this.#socket.close();
  }

  async #readNames(): Promise<void> {
    try {
      const links = await this.#readLinks();
      this.#names = new Map(links.map(({ index, name }) => [index, name]));
    } catch {
      // The first event that needs a name will ask for a resync, and so read the links again.
      this.#names.clear();
    }
  }

  #poll(): void {
    if (this.#isStopped) return;
    this.#stopPolling = this.#socket.onReadable(() => this.#drain());
  }

  #drain(): void {
    const turn = new Turn(this.#now);
    while (this.#receive()) {
      // What is left wakes us again at once; a loss that was seen must not wait for it, as nothing may be left.
      if (turn.isOver()) break;
    }
    if (this.#hasLost && !this.#isStopped) void this.#resync();
  }

  /** False when there is nothing more. */
  #receive(): boolean {
    if (this.#isStopped) return false;
    const length = this.#socket.receive(this.#received);
    if (length === -errno.EINTR) return true;
    if (length === -errno.ENOBUFS || length > this.#received.length) this.#hasLost = true;
    else if (length < 0) return false;
    else this.#take(this.#received.subarray(0, length));
    return true;
  }

  async #resync(): Promise<void> {
    this.#stopPolling?.();
    this.#hasLost = false;
    await this.#readNames();
    if (this.#isStopped) return;
    this.#listener({ kind: 'resync' });
    this.#poll();
  }

  #take(datagram: Uint8Array): void {
    let events: readonly KernelEvent[];
    try {
      events = decodeMessages(datagram).flatMap((message) => this.#decode(message) ?? []);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#hasLost = true;
      return;
    }
    for (const event of events) {
      if (!this.#isStopped) this.#listener(event);
    }
  }

  #decode({ type, body }: NetlinkMessage): KernelEvent | undefined {
    switch (type) {
      case RTM_NEWLINK:
      case RTM_DELLINK:
        return this.#decodeLink(type, body);
      case RTM_NEWADDR:
      case RTM_DELADDR:
        return this.#decodeAddress(type, body);
      case RTM_NEWROUTE:
      case RTM_DELROUTE:
        return decodeRouteEvent(type, body);
      default:
        return undefined;
    }
  }

  #decodeLink(type: number, body: Uint8Array): KernelEvent | undefined {
    const message = decodeLink(body);
    if (!isAboutLink(message)) return undefined;
    const link = linkFromMessage(message);
    const isKnown = this.#names.has(link.index);
    if (type === RTM_DELLINK) {
      this.#names.delete(link.index);
      return { kind: 'link-removed', link };
    }
    this.#names.set(link.index, link.name);
    const isNew = !isKnown || message.changedFlags === everyFlag;
    return { kind: isNew ? 'link-added' : 'link-changed', link };
  }

  #decodeAddress(type: number, body: Uint8Array): KernelEvent | undefined {
    const message = decodeAddress(body);
    if (message === undefined) return undefined;
    const name = this.#names.get(message.linkIndex);
    if (name !== undefined) {
      const kind = type === RTM_DELADDR ? 'address-removed' : 'address-added';
      return { kind, address: heldAddress(message, name) };
    }
    // Addresses go before their link goes, so a late removal says nothing new; an addition shows that one was missed.
    if (type === RTM_NEWADDR) this.#hasLost = true;
    return undefined;
  }
}

function decodeRouteEvent(type: number, body: Uint8Array): KernelEvent | undefined {
  const route = isDerivedRoute(body) ? undefined : decodeRoute(body);
  if (route === undefined) return undefined;
  return { kind: type === RTM_DELROUTE ? 'route-removed' : 'route-added', route };
}
