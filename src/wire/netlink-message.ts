/**
 * Netlink messages: a 16-byte header, a body, padding to 4 bytes (linux/netlink.h). Headers and attributes are in
 * the host's byte order; every machine that Node 24 is built for and this project ships on is little-endian.
 */

import type { ByteWriter } from './byte-writer.ts';
import { WireError } from './wire-error.ts';

export const NLMSG_NOOP = 1;
export const NLMSG_ERROR = 2;
export const NLMSG_DONE = 3;
export const NLMSG_OVERRUN = 4;

export const NLM_F_REQUEST = 0x1;
export const NLM_F_MULTI = 0x2;
export const NLM_F_ACK = 0x4;
/** The state changed while it was dumped: what was dumped may be incomplete. */
export const NLM_F_DUMP_INTR = 0x10;
/** In requests that read: all entries, not one. */
export const NLM_F_DUMP = 0x300;
/** In requests that write; bits are shared with those that read. */
export const NLM_F_REPLACE = 0x100;
export const NLM_F_EXCL = 0x200;
export const NLM_F_CREATE = 0x400;
export const NLM_F_APPEND = 0x800;
/** In errors: the failed request's body is not echoed. */
export const NLM_F_CAPPED = 0x100;
/** In errors: attributes explain the failure. */
export const NLM_F_ACK_TLVS = 0x200;

const headerLength = 16;

export interface NetlinkHeader {
  readonly type: number;
  readonly flags: number;
  readonly sequence: number;
  /** Port of the socket that caused the message; 0 is the kernel. */
  readonly port: number;
}

export interface NetlinkMessage extends NetlinkHeader {
  /** A view into the datagram, without padding. */
  readonly body: Uint8Array;
}

/** Lengths in netlink exclude the padding; the next thing starts at the next multiple of four. */
export function align4(length: number): number {
  return (length + 3) & ~3;
}

export function decodeMessages(datagram: Uint8Array): readonly NetlinkMessage[] {
  const view = new DataView(datagram.buffer, datagram.byteOffset, datagram.byteLength);
  const messages: NetlinkMessage[] = [];
  for (let start = 0; start < datagram.length; ) {
    const left = datagram.length - start;
    if (left < headerLength) {
      throw new WireError('WIRE_TRUNCATED', `netlink header: ${left} of ${headerLength} bytes`);
    }
    const length = view.getUint32(start, true);
    checkLength(length, left);
    messages.push({
      type: view.getUint16(start + 4, true),
      flags: view.getUint16(start + 6, true),
      sequence: view.getUint32(start + 8, true),
      port: view.getUint32(start + 12, true),
      body: datagram.subarray(start + headerLength, start + length),
    });
    start += align4(length);
  }
  return messages;
}

function checkLength(length: number, left: number): void {
  if (length < headerLength) {
    throw new WireError('WIRE_MALFORMED', `netlink message claims to be ${length} bytes long`);
  }
  if (length > left) {
    throw new WireError('WIRE_TRUNCATED', `netlink message: ${left} of ${length} bytes`);
  }
}

/** Appends a message with its padding, so that several fit one datagram. */
export function encodeMessage(writer: ByteWriter, message: NetlinkMessage): void {
  const { type, flags, sequence, port, body } = message;
  writer
    .u32le(headerLength + body.length)
    .u16le(type)
    .u16le(flags)
    .u32le(sequence)
    .u32le(port);
  writer.bytes(body).zeros(align4(body.length) - body.length);
}
