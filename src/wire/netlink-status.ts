/** How a request ended: NLMSG_ERROR (also the acknowledgement, with errno 0) and NLMSG_DONE. */

import { ByteReader } from './byte-reader.ts';
import { AttributeReader } from './netlink-attributes.ts';
import {
  align4,
  type NetlinkMessage,
  NLM_F_ACK_TLVS,
  NLM_F_CAPPED,
  NLMSG_DONE,
} from './netlink-message.ts';
import { WireError } from './wire-error.ts';

const NLMSGERR_ATTR_MSG = 1;
const errnoLength = 4;
const headerLength = 16;

export interface NetlinkStatus {
  /** 0 is success; otherwise positive. */
  readonly errno: number;
  /** The kernel's own explanation such as "ipv4: Address already assigned" (NETLINK_EXT_ACK). */
  readonly words?: string;
}

export function decodeStatus(message: NetlinkMessage): NetlinkStatus {
  const error = new ByteReader(message.body, 'netlink status').i32le();
  if (error > 0) throw new WireError('WIRE_MALFORMED', `netlink status: positive error ${error}`);
  const errno = Math.abs(error);
  if ((message.flags & NLM_F_ACK_TLVS) === 0) return { errno };
  const words = decodeWords(message);
  return words === undefined ? { errno } : { errno, words };
}

function decodeWords(message: NetlinkMessage): string | undefined {
  const attributes = new AttributeReader(message.body, attributesStart(message), 'netlink status');
  let words: string | undefined;
  while (attributes.next()) {
    if (attributes.type === NLMSGERR_ATTR_MSG) words = attributes.string();
  }
  return words;
}

/** An error echoes the request's header and, unless capped, its body; a dump's end echoes nothing. */
function attributesStart({ type, flags, body }: NetlinkMessage): number {
  if (type === NLMSG_DONE) return errnoLength;
  if ((flags & NLM_F_CAPPED) !== 0) return errnoLength + headerLength;
  const echoed = new ByteReader(body.subarray(errnoLength), 'netlink status').u32le();
  if (echoed < headerLength || echoed > body.length - errnoLength) {
    throw new WireError('WIRE_MALFORMED', `netlink status: echoed request of ${echoed} bytes`);
  }
  return errnoLength + align4(echoed);
}
