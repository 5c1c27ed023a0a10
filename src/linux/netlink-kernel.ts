/** The real kernel, over rtnetlink. */

import type { AddressChange, HeldAddress } from '../model/address.ts';
import type { Link } from '../model/link.ts';
import type { Route } from '../model/route.ts';
import {
  type AddressMessage,
  decodeAddress,
  encodeAddressQuery,
  RTM_GETADDR,
} from '../wire/address-message.ts';
import {
  decodeLink,
  encodeLink,
  isAboutLink,
  linkFromMessage,
  RTEXT_FILTER_SKIP_STATS,
  RTM_GETLINK,
} from '../wire/link-message.ts';
import {
  decodeRoute,
  encodeRouteQuery,
  isDerivedRoute,
  RTM_GETROUTE,
} from '../wire/route-message.ts';
import { planSteps, type Situation } from './address-steps.ts';
import { heldAddress } from './held-address.ts';
import { HeldTable } from './held-table.ts';
import type {
  ChangeFailure,
  Kernel,
  KernelEvent,
  VirtualLink,
  VirtualLinkRemoval,
} from './kernel.ts';
import { KernelEvents } from './kernel-events.ts';
import { errno } from './libc.ts';
import { NetlinkConnection } from './netlink-connection.ts';
import { NetlinkError } from './netlink-error.ts';
import {
  openNetlinkSocket,
  RTNLGRP_IPV4_IFADDR,
  RTNLGRP_IPV4_ROUTE,
  RTNLGRP_IPV6_IFADDR,
  RTNLGRP_IPV6_ROUTE,
  RTNLGRP_LINK,
} from './netlink-socket.ts';
import { Serial } from './serial.ts';
import { judgeSteps } from './step-outcome.ts';
import { ensureVirtualLink, type LinkAccess, removeVirtualLink } from './virtual-link.ts';

const requestBufferBytes = 1 << 20;
/** Memory that the kernel uses only while events wait; some 20,000 of them fit. */
const eventBufferBytes = 8 << 20;
/** An addition may meet an address once because nothing was read before, and once more by a race. */
const applyRounds = 3;

const groups = [
  RTNLGRP_LINK,
  RTNLGRP_IPV4_IFADDR,
  RTNLGRP_IPV6_IFADDR,
  RTNLGRP_IPV4_ROUTE,
  RTNLGRP_IPV6_ROUTE,
];

export interface NetlinkKernelOptions {
  readonly eventBufferBytes?: number;
}

export class NetlinkKernel implements Kernel {
  /** Two connections, so that a long batch of changes does not hold up reading. */
  readonly #reader = new NetlinkConnection(
    openNetlinkSocket({ receiveBufferBytes: requestBufferBytes }),
  );
  readonly #changer = new NetlinkConnection(
    openNetlinkSocket({ receiveBufferBytes: requestBufferBytes }),
  );
  readonly #applying = new Serial();
  readonly #subscriptions = new Set<KernelEvents>();
  readonly #eventBufferBytes: number;

  constructor(options: NetlinkKernelOptions = {}) {
    this.#eventBufferBytes = options.eventBufferBytes ?? eventBufferBytes;
  }

  async links(): Promise<readonly Link[]> {
    const encodeBody = () => encodeLink({ filter: RTEXT_FILTER_SKIP_STATS });
    return this.#reader.dump('read links', { type: RTM_GETLINK, encodeBody }, linkFromBody);
  }

  async addresses(): Promise<readonly HeldAddress[]> {
    const messages = await this.#addressMessages();
    const links = await this.links();
    const names = new Map(links.map(({ index, name }) => [index, name]));
    return messages.flatMap((message) => {
      const name = names.get(message.linkIndex);
      // The link went between the two reads, and its addresses with it.
      return name === undefined ? [] : [heldAddress(message, name)];
    });
  }

  async routes(): Promise<readonly Route[]> {
    const request = { type: RTM_GETROUTE, encodeBody: encodeRouteQuery };
    return this.#reader.dump('read routes', request, (body) =>
      isDerivedRoute(body) ? undefined : decodeRoute(body),
    );
  }

  async apply(changes: readonly AddressChange[]): Promise<readonly ChangeFailure[]> {
    return this.#applying.run(() => this.#applyAll(changes));
  }

  changes(listener: (event: KernelEvent) => void): () => void {
    const events = new KernelEvents({
      socket: openNetlinkSocket({ groups, receiveBufferBytes: this.#eventBufferBytes }),
      readLinks: () => this.links(),
      listener,
    });
    this.#subscriptions.add(events);
    void events.start();
    return () => {
      events.stop();
      this.#subscriptions.delete(events);
    };
  }

  async ensureVirtualLink(name: string): Promise<VirtualLink> {
    return ensureVirtualLink(this.#linkAccess(), name);
  }

  async removeVirtualLink(name: string): Promise<VirtualLinkRemoval> {
    return removeVirtualLink(this.#linkAccess(), name);
  }

  close(): void {
    for (const events of this.#subscriptions) events.stop();
    this.#subscriptions.clear();
    this.#reader.close();
    this.#changer.close();
  }

  async #applyAll(changes: readonly AddressChange[]): Promise<readonly ChangeFailure[]> {
    const failures: ChangeFailure[] = [];
    let pending = changes;
    let mustRead = changes.some(({ kind }) => kind !== 'add');
    for (let round = 0; round < applyRounds && pending.length > 0; round++) {
      const planned = await planSteps(pending, await this.#situation(pending, mustRead));
      const requests = planned.steps.map(({ request }) => request);
      const outcome = judgeSteps(planned.steps, await this.#changer.execute(requests));
      failures.push(...planned.failures, ...outcome.failures);
      pending = outcome.collisions;
      mustRead = true;
    }
    return inOrderOf(changes, [...failures, ...pending.map(stillColliding)]);
  }

  async #situation(changes: readonly AddressChange[], mustRead: boolean): Promise<Situation> {
    const indexes = new Map<string, number>();
    for (const name of new Set(changes.map(({ address }) => address.link))) {
      const link = await this.#findLink(name);
      if (link !== undefined) indexes.set(name, link.index);
    }
    const linkIndex = (name: string) => indexes.get(name);
    if (!mustRead) return { linkIndex, held: undefined };
    try {
      return { linkIndex, held: new HeldTable(await this.#addressMessages()) };
    } catch (error) {
      if (!(error instanceof NetlinkError)) throw error;
      return { linkIndex, held: undefined, whyUnread: error.message };
    }
  }

  async #addressMessages(): Promise<readonly AddressMessage[]> {
    const request = { type: RTM_GETADDR, encodeBody: encodeAddressQuery };
    return this.#reader.dump('read addresses', request, decodeAddress);
  }

  async #findLink(name: string): Promise<Link | undefined> {
    const encodeBody = () => encodeLink({ name, filter: RTEXT_FILTER_SKIP_STATS });
    const operation = `find link ${name}`;
    try {
      return await this.#reader.ask(operation, { type: RTM_GETLINK, encodeBody }, linkFromBody);
    } catch (error) {
      if (error instanceof NetlinkError && isNoSuchLink(error)) return undefined;
      throw error;
    }
  }

  #linkAccess(): LinkAccess {
    return {
      connection: this.#changer,
      findLink: (name) => this.#findLink(name),
      addresses: () => this.addresses(),
    };
  }
}

function linkFromBody(body: Uint8Array): Link | undefined {
  const message = decodeLink(body);
  return isAboutLink(message) ? linkFromMessage(message) : undefined;
}

/** A name that no link can have is refused as invalid instead. */
function isNoSuchLink(error: NetlinkError): boolean {
  return [errno.ENODEV, errno.EINVAL, errno.ERANGE].some((number) => number === error.errno);
}

function inOrderOf(
  changes: readonly AddressChange[],
  failures: readonly ChangeFailure[],
): readonly ChangeFailure[] {
  if (failures.length < 2) return failures;
  const positions = new Map(changes.map((change, position) => [change, position]));
  const positionOf = ({ change }: ChangeFailure) => positions.get(change) ?? 0;
  return failures.toSorted((left, right) => positionOf(left) - positionOf(right));
}

function stillColliding(change: AddressChange): ChangeFailure {
  const words = 'the address appears and vanishes while it is added';
  return { change, code: 'Refused', errno: 'EEXIST', words };
}
