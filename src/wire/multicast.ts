/** The multicast addresses that neighbour discovery uses. */

import { type Ip, ipFromBytes, ipOf, ipToBytes } from '../model/ip.ts';
import { type Mac, macFromBytes } from '../model/mac.ts';

export const allNodes = ipOf('ff02::1');

export function isMulticastIpv6(ip: Ip): boolean {
  return ipToBytes(ip)[0] === 0xff;
}

/** Where a host is asked for `ip`: ff02::1:ff with the last three bytes of it (RFC 4291 2.7.1). */
export function solicitedNodeAddress(ip: Ip): Ip {
  const bytes = ipToBytes(ipOf('ff02::1:ff00:0'));
  bytes.set(ipToBytes(ip).subarray(13), 13);
  return ipFromBytes(bytes);
}

/** 33:33 with the last four bytes of the group's address (RFC 2464 7). */
export function multicastMac(group: Ip): Mac {
  return macFromBytes(Uint8Array.of(0x33, 0x33, ...ipToBytes(group).subarray(12)));
}
