/** IPv4 packets (RFC 791). */

import { type Ip, ipFromBytes, ipToBytes } from '../model/ip.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { addWords, checksumOf } from './checksum.ts';
import { WireError } from './wire-error.ts';

export interface Ipv4Packet {
  /** DSCP and ECN. */
  readonly trafficClass: number;
  readonly identification: number;
  /** Flags and offset as they stand in the header: see `Ipv4Fragment`. */
  readonly fragment: number;
  readonly ttl: number;
  readonly protocol: number;
  readonly source: Ip;
  readonly destination: Ip;
  /** A multiple of four bytes, at most 40. */
  readonly options: Uint8Array;
  readonly payload: Uint8Array;
}

export const Ipv4Fragment = { dont: 0x4000, more: 0x2000, offset: 0x1fff } as const;

const headerWithoutOptions = 20;

export function encodeIpv4(packet: Ipv4Packet): Uint8Array {
  const headerLength = headerWithoutOptions + packet.options.length;
  if (headerLength % 4 !== 0 || headerLength > 60) {
    throw new RangeError(`IPv4 options of ${packet.options.length} bytes`);
  }
  const writer = new ByteWriter(headerLength + packet.payload.length)
    .u8(0x40 | (headerLength / 4))
    .u8(packet.trafficClass)
    .u16be(headerLength + packet.payload.length)
    .u16be(packet.identification)
    .u16be(packet.fragment)
    .u8(packet.ttl)
    .u8(packet.protocol)
    .u16be(0)
    .bytes(ipToBytes(packet.source))
    .bytes(ipToBytes(packet.destination))
    .bytes(packet.options);
  writer.patchU16be(10, checksumOf(addWords(writer.written())));
  return writer.bytes(packet.payload).finish();
}

/** What follows the total length is padding of the link, and dropped. */
export function decodeIpv4(bytes: Uint8Array): Ipv4Packet {
  const reader = new ByteReader(bytes, 'IPv4 packet');
  const headerLength = readHeaderLength(reader.u8());
  const trafficClass = reader.u8();
  const totalLength = reader.u16be();
  const header = new ByteReader(bytes, 'IPv4 packet').bytes(headerLength);
  if (totalLength < headerLength) throw malformed('total length is less than the header');
  if (checksumOf(addWords(header)) !== 0) throw malformed('header checksum is wrong');
  const identification = reader.u16be();
  const fragment = reader.u16be();
  const ttl = reader.u8();
  const protocol = reader.u8();
  reader.skip(2);
  return {
    trafficClass,
    identification,
    fragment,
    ttl,
    protocol,
    source: ipFromBytes(reader.bytes(4)),
    destination: ipFromBytes(reader.bytes(4)),
    options: reader.bytes(headerLength - headerWithoutOptions),
    payload: reader.bytes(totalLength - headerLength),
  };
}

function readHeaderLength(firstByte: number): number {
  if (firstByte >> 4 !== 4) throw malformed(`version is ${firstByte >> 4}`);
  const length = (firstByte & 0x0f) * 4;
  if (length < headerWithoutOptions) throw malformed(`header of ${length} bytes`);
  return length;
}

function malformed(what: string): WireError {
  return new WireError('WIRE_MALFORMED', `IPv4 packet: ${what}`);
}
