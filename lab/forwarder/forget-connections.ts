/** Makes the kernel forget tracked connections: a UDP client that goes on sending would keep its old endpoint for ever. */

import * as libc from '../../src/linux/libc.ts';

const NETLINK_NETFILTER = 12;
// NFNL_SUBSYS_CTNETLINK in the upper byte, IPCTNL_MSG_CT_DELETE in the lower: without a tuple, all that fit.
const deleteConnections = 0x0102;
const NLM_F_REQUEST = 1;
const CTA_MARK = 8;
const CTA_MARK_MASK = 21;

/** Forgets the connections of both families that carry this mark, in the network namespace of this process. */
export function forgetConnections(mark: number): void {
  const fd = libc.openSocket(libc.AF_NETLINK, libc.SOCK_RAW, NETLINK_NETFILTER);
  if (fd < 0) throw new Error(`no netlink socket to netfilter: errno ${-fd}`);
  try {
    const sent = libc.send(fd, encodeForgetting(mark));
    if (sent < 0)
      throw new Error(`connections with mark ${mark} are not forgotten: errno ${-sent}`);
  } finally {
    libc.close(fd);
  }
}

/** nlmsghdr and nfgenmsg, then two attributes of four bytes in network order. Family 0 stands for all of them. */
export function encodeForgetting(mark: number): Uint8Array {
  const message = new Uint8Array(36);
  const view = new DataView(message.buffer);
  view.setUint32(0, message.length, true);
  view.setUint16(4, deleteConnections, true);
  view.setUint16(6, NLM_F_REQUEST, true);
  for (const [offset, type, value] of [
    [20, CTA_MARK, mark],
    [28, CTA_MARK_MASK, 0xffffffff],
  ] as const) {
    view.setUint16(offset, 8, true);
    view.setUint16(offset + 2, type, true);
    view.setUint32(offset + 4, value);
  }
  return message;
}
