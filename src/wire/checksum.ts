/** The Internet checksum (RFC 1071). */

import { type Ip, ipToBytes } from '../model/ip.ts';

/** Adds the 16-bit words of `bytes` to a running sum, an odd last byte padded with zero; `checksumOf` folds it. */
export function addWords(bytes: Uint8Array, sum = 0): number {
  let total = sum;
  for (let offset = 0; offset < bytes.length; offset += 2) {
    total += ((bytes[offset] ?? 0) << 8) | (bytes[offset + 1] ?? 0);
  }
  return total;
}

/** The value for the checksum field; over a packet whose checksum is right it gives 0. */
export function checksumOf(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded % 0x10000) + Math.floor(folded / 0x10000);
  return ~folded & 0xffff;
}

export interface PseudoHeader {
  readonly source: Ip;
  readonly destination: Ip;
  readonly protocol: number;
  readonly length: number;
}

/** RFC 8200 8.1 and RFC 793 3.1: laid out differently, the words of both families add up alike. */
export function pseudoHeaderSum(header: PseudoHeader): number {
  const addresses = addWords(ipToBytes(header.destination), addWords(ipToBytes(header.source)));
  return addresses + header.protocol + (header.length & 0xffff) + (header.length >>> 16);
}
