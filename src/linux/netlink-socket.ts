/** A netlink socket to a part of the kernel, by default its routing tables: datagrams in and out, no more. */

import * as libc from './libc.ts';
import { NetlinkError } from './netlink-error.ts';

const NETLINK_ROUTE = 0;
export const NETLINK_NETFILTER = 12;
const SOL_NETLINK = 270;
const NETLINK_CAP_ACK = 10;
const NETLINK_EXT_ACK = 11;
const NETLINK_GET_STRICT_CHK = 12;

export const RTNLGRP_LINK = 1;
export const RTNLGRP_IPV4_IFADDR = 5;
export const RTNLGRP_IPV4_ROUTE = 7;
export const RTNLGRP_IPV6_IFADDR = 9;
export const RTNLGRP_IPV6_ROUTE = 11;

/** What a connection needs of a socket: small enough to be played by a script in tests. */
export interface NetlinkSocket {
  /** The number of bytes sent, or a negative errno. The kernel has done the work when this returns. */
  send(datagram: Uint8Array): number;
  /** The datagram's true length, which is more than `into.length` if it was cut off, or a negative errno. */
  receive(into: Uint8Array): number;
  /** Calls back while there is something to receive, until the returned function is called. */
  onReadable(listener: () => void): () => void;
  close(): void;
}

export interface NetlinkSocketOptions {
  /** Multicast groups (RTNLGRP_*) to join. */
  readonly groups?: readonly number[];
  readonly receiveBufferBytes: number;
  /** The longest datagram; the system's default, some 200 KiB, unless given. */
  readonly sendBufferBytes?: number;
  /** NETLINK_*: which part of the kernel it talks to. */
  readonly protocol?: number;
}

/** The operation of the error where there is no such socket. */
export const openingSocket = 'open a netlink socket';

export function openNetlinkSocket(options: NetlinkSocketOptions): NetlinkSocket {
  const { protocol = NETLINK_ROUTE, sendBufferBytes } = options;
  const fd = libc.openSocket(libc.AF_NETLINK, libc.SOCK_RAW, protocol);
  if (fd < 0) throw NetlinkError.fromErrno(openingSocket, -fd);
  const bound = libc.bind(fd, socketAddress(options.groups ?? []));
  if (bound < 0) {
    libc.close(fd);
    throw NetlinkError.fromErrno('bind a netlink socket', -bound);
  }
  // Each of these is missing in some kernel that is otherwise good enough: without it there is only less to read.
  for (const option of [NETLINK_CAP_ACK, NETLINK_EXT_ACK, NETLINK_GET_STRICT_CHK]) {
    libc.setSocketOption(fd, SOL_NETLINK, option, 1);
  }
  setReceiveBuffer(fd, options.receiveBufferBytes);
  if (sendBufferBytes !== undefined) setSendBuffer(fd, sendBufferBytes);
  return socketOn(fd);
}

function socketOn(fd: number): NetlinkSocket {
  const sender = new Uint8Array(12);
  let isClosed = false;
  return {
    // A closed descriptor's number soon belongs to another file: nothing may reach it any more.
    send: (datagram) => (isClosed ? -libc.errno.EBADF : libc.send(fd, datagram)),
    receive(into) {
      for (;;) {
        if (isClosed) return -libc.errno.EBADF;
        const length = libc.receiveFrom(fd, into, sender);
        // Any process with CAP_NET_ADMIN may send here; only port 0 is the kernel.
        if (length < 0 || isFromKernel(sender)) return length;
      }
    },
    onReadable: (listener) => libc.onReadable(fd, listener),
    close() {
      if (isClosed) return;
      isClosed = true;
      libc.close(fd);
    },
  };
}

/** struct sockaddr_nl with port 0: the kernel chooses ours. */
function socketAddress(groups: readonly number[]): Uint8Array {
  const address = new Uint8Array(12);
  const view = new DataView(address.buffer);
  view.setUint16(0, libc.AF_NETLINK, true);
  view.setUint32(
    8,
    groups.reduce((bits, group) => bits | (1 << (group - 1)), 0),
    true,
  );
  return address;
}

function isFromKernel(sender: Uint8Array): boolean {
  return sender[4] === 0 && sender[5] === 0 && sender[6] === 0 && sender[7] === 0;
}

/** The forced form ignores the system's limit, but not every user namespace may use it. */
function setReceiveBuffer(fd: number, bytes: number): void {
  const forced = libc.setSocketOption(fd, libc.SOL_SOCKET, libc.SO_RCVBUFFORCE, bytes);
  if (forced < 0) libc.setSocketOption(fd, libc.SOL_SOCKET, libc.SO_RCVBUF, bytes);
}

function setSendBuffer(fd: number, bytes: number): void {
  const forced = libc.setSocketOption(fd, libc.SOL_SOCKET, libc.SO_SNDBUFFORCE, bytes);
  if (forced < 0) libc.setSocketOption(fd, libc.SOL_SOCKET, libc.SO_SNDBUF, bytes);
}
