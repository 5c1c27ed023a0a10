/** `kube-lb0`: a link of our own that holds addresses and sends no frames. */

import type { HeldAddress } from '../model/address.ts';
import type { Link } from '../model/link.ts';
import { encodeLink, IFF_UP, RTM_DELLINK, RTM_NEWLINK } from '../wire/link-message.ts';
import { NLM_F_CREATE, NLM_F_EXCL } from '../wire/netlink-message.ts';
import type { VirtualLink, VirtualLinkRemoval } from './kernel.ts';
import { errno } from './libc.ts';
import type { NetlinkConnection, NetlinkRequest } from './netlink-connection.ts';
import { NetlinkError } from './netlink-error.ts';
import {
  createdLinkKinds,
  mayRemove,
  noLinkDriver,
  refuseOtherKinds,
} from './virtual-link-rules.ts';

export interface LinkAccess {
  readonly connection: NetlinkConnection;
  readonly findLink: (name: string) => Promise<Link | undefined>;
  readonly addresses: () => Promise<readonly HeldAddress[]>;
}

export async function ensureVirtualLink(access: LinkAccess, name: string): Promise<VirtualLink> {
  const existing = await access.findLink(name);
  const how = existing === undefined ? await create(access, name) : 'adopted';
  const link = existing ?? (await access.findLink(name));
  if (link === undefined) throw NetlinkError.fromErrno(`find link ${name}`, errno.ENODEV);
  refuseOtherKinds(link);
  if (link.isUp) return { link, how };
  await setUp(access, link);
  return { link: (await access.findLink(name)) ?? link, how };
}

/** The first kind that the kernel has a driver for; EEXIST: another process was quicker. */
async function create({ connection }: LinkAccess, name: string): Promise<VirtualLink['how']> {
  for (const kind of createdLinkKinds) {
    const [failure] = await connection.execute([
      {
        type: RTM_NEWLINK,
        flags: NLM_F_CREATE | NLM_F_EXCL,
        encodeBody: () => encodeLink({ name, kind, flags: IFF_UP, changedFlags: IFF_UP }),
      },
    ]);
    if (failure === undefined) return 'created';
    if (failure.errno === errno.EEXIST) return 'adopted';
    if (failure.errno !== errno.EOPNOTSUPP) {
      throw NetlinkError.fromErrno(`create link ${name}`, failure.errno, failure.words);
    }
  }
  throw noLinkDriver(name);
}

async function setUp(access: LinkAccess, { index, name }: Link): Promise<void> {
  const encodeBody = () => encodeLink({ index, flags: IFF_UP, changedFlags: IFF_UP });
  await perform(access, `set link ${name} up`, { type: RTM_NEWLINK, encodeBody });
}

/** Kept: a link that was adopted, or on which someone else has put addresses meanwhile. */
export async function removeVirtualLink(
  access: LinkAccess,
  name: string,
): Promise<VirtualLinkRemoval> {
  const link = await access.findLink(name);
  if (link === undefined) return 'absent';
  if (!mayRemove(link, await access.addresses())) return 'kept';
  const request = { type: RTM_DELLINK, encodeBody: () => encodeLink({ index: link.index }) };
  await perform(access, `remove link ${name}`, request);
  return 'removed';
}

async function perform(
  { connection }: LinkAccess,
  operation: string,
  request: NetlinkRequest,
): Promise<void> {
  const [failure] = await connection.execute([request]);
  if (failure === undefined) return;
  throw NetlinkError.fromErrno(operation, failure.errno, failure.words);
}
