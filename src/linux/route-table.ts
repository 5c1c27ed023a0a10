/** The port to routes that we put into the kernel, told from all others by their protocol mark. */

import type { Route } from '../model/route.ts';
import { NLM_F_CREATE, NLM_F_REPLACE } from '../wire/netlink-message.ts';
import { encodeRoute, RTM_DELROUTE, RTM_NEWROUTE } from '../wire/route-message.ts';
import { errnoName } from './errno-name.ts';
import type { Kernel } from './kernel.ts';
import { errno } from './libc.ts';
import { NetlinkConnection, type NetlinkRequest } from './netlink-connection.ts';
import { openNetlinkSocket } from './netlink-socket.ts';

export interface RouteTable {
  /** Those with this mark, in all tables. */
  marked(protocol: number): Promise<readonly Route[]>;
  /**
   * Additions replace a route of the same table, prefix and metric. What is gone already is success. Resolves to the
   * failures; one never keeps others from being carried out.
   */
  apply(changes: RouteChanges): Promise<readonly RouteFailure[]>;
  close(): void;
}

export interface RouteChanges {
  readonly add: readonly Route[];
  readonly remove: readonly Route[];
}

export interface RouteFailure {
  readonly route: Route;
  readonly words: string;
}

export class NetlinkRouteTable implements RouteTable {
  readonly #kernel: Pick<Kernel, 'routes'>;
  readonly #changer = new NetlinkConnection(openNetlinkSocket({ receiveBufferBytes: 1 << 20 }));

  constructor(kernel: Pick<Kernel, 'routes'>) {
    this.#kernel = kernel;
  }

  async marked(protocol: number): Promise<readonly Route[]> {
    return (await this.#kernel.routes()).filter((route) => route.protocol === protocol);
  }

  async apply({ add, remove }: RouteChanges): Promise<readonly RouteFailure[]> {
    const routes = [...add, ...remove];
    const requests = [...add.map(addition), ...remove.map(removal)];
    const failed = await this.#changer.execute(requests);
    return failed.flatMap(({ index, errno: number, words, isAnswered }) => {
      const route = routes[index];
      if (route === undefined || (index >= add.length && isGone(number))) return [];
      const said = isAnswered ? (words ?? errnoName(number)) : 'no answer from the kernel';
      return [{ route, words: said }];
    });
  }

  close(): void {
    this.#changer.close();
  }
}

function addition(route: Route): NetlinkRequest {
  const flags = NLM_F_CREATE | NLM_F_REPLACE;
  return { type: RTM_NEWROUTE, flags, encodeBody: () => encodeRoute(route) };
}

function removal(route: Route): NetlinkRequest {
  return { type: RTM_DELROUTE, encodeBody: () => encodeRoute(route) };
}

function isGone(number: number): boolean {
  return number === errno.ESRCH || number === errno.ENOENT || number === errno.ENODEV;
}
