/** IPv6 packets (RFC 8200). Extension headers stay in the payload, unread. */

import { type Ip, ipFromBytes, ipToBytes } from '../model/ip.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { WireError } from './wire-error.ts';

export interface Ipv6Packet {
  readonly trafficClass: number;
  readonly flowLabel: number;
  readonly nextHeader: number;
  readonly hopLimit: number;
  readonly source: Ip;
  readonly destination: Ip;
  readonly payload: Uint8Array;
}

export function encodeIpv6(packet: Ipv6Packet): Uint8Array {
  return new ByteWriter(40 + packet.payload.length)
    .u32be(0x60000000 + packet.trafficClass * 0x100000 + packet.flowLabel)
    .u16be(packet.payload.length)
    .u8(packet.nextHeader)
    .u8(packet.hopLimit)
    .bytes(ipToBytes(packet.source))
    .bytes(ipToBytes(packet.destination))
    .bytes(packet.payload)
    .finish();
}

/** What follows the payload length is padding of the link, and dropped. */
export function decodeIpv6(bytes: Uint8Array): Ipv6Packet {
  const reader = new ByteReader(bytes, 'IPv6 packet');
  const first = reader.u32be();
  const version = first >>> 28;
  if (version !== 6) throw new WireError('WIRE_MALFORMED', `IPv6 packet: version is ${version}`);
  const payloadLength = reader.u16be();
  return {
    trafficClass: (first >>> 20) & 0xff,
    flowLabel: first & 0xfffff,
    nextHeader: reader.u8(),
    hopLimit: reader.u8(),
    source: ipFromBytes(reader.bytes(16)),
    destination: ipFromBytes(reader.bytes(16)),
    payload: reader.bytes(payloadLength),
  };
}
