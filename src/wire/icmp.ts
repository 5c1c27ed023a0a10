/** ICMP (RFC 792) and ICMPv6 (RFC 4443): one layout, but only ICMPv6 covers the addresses by its checksum. */

import { familyOf, type Ip } from '../model/ip.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { addWords, checksumOf, pseudoHeaderSum } from './checksum.ts';
import { WireError } from './wire-error.ts';

export interface IcmpMessage {
  readonly type: number;
  readonly code: number;
  /** All that follows type, code and checksum. */
  readonly body: Uint8Array;
}

/** The addresses of the packet around the message; their family chooses between ICMP and ICMPv6. */
export interface IpPath {
  readonly source: Ip;
  readonly destination: Ip;
}

export const icmpProtocol = { ipv4: 1, ipv6: 58 } as const;

export function encodeIcmp(message: IcmpMessage, path: IpPath): Uint8Array {
  const writer = new ByteWriter(4 + message.body.length)
    .u8(message.type)
    .u8(message.code)
    .u16be(0)
    .bytes(message.body);
  writer.patchU16be(2, checksumWithin(writer.written(), path));
  return writer.finish();
}

export function decodeIcmp(bytes: Uint8Array, path: IpPath): IcmpMessage {
  const reader = new ByteReader(bytes, 'ICMP message');
  const type = reader.u8();
  const code = reader.u8();
  reader.skip(2);
  if (checksumWithin(bytes, path) !== 0) {
    throw new WireError('WIRE_MALFORMED', `ICMP message of type ${type}: checksum is wrong`);
  }
  return { type, code, body: reader.rest() };
}

function checksumWithin(bytes: Uint8Array, path: IpPath): number {
  const pseudo =
    familyOf(path.source) === 'ipv4'
      ? 0
      : pseudoHeaderSum({ ...path, protocol: icmpProtocol.ipv6, length: bytes.length });
  return checksumOf(addWords(bytes, pseudo));
}
