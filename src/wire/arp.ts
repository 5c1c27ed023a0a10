import { ipFromBytes, ipToBytes } from '../model/ip.ts';
import { macFromBytes, macToBytes } from '../model/mac.ts';
import type { Station } from '../model/neighbour-frame.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { EtherType } from './ethernet.ts';

export const ArpOperation = { request: 1, reply: 2 } as const;

export interface ArpPacket {
  /** `ArpOperation`, or one of the many others (IANA "ARP operation codes"). */
  readonly operation: number;
  readonly sender: Station;
  readonly target: Station;
}

const ETHERNET = 1;

export function encodeArp(packet: ArpPacket): Uint8Array {
  return new ByteWriter(28)
    .u16be(ETHERNET)
    .u16be(EtherType.ipv4)
    .u8(6)
    .u8(4)
    .u16be(packet.operation)
    .bytes(macToBytes(packet.sender.mac))
    .bytes(ipToBytes(packet.sender.ip))
    .bytes(macToBytes(packet.target.mac))
    .bytes(ipToBytes(packet.target.ip))
    .finish();
}

/** ARP for IPv4 over Ethernet (RFC 826); other pairings decode to `undefined`. Padding may follow. */
export function decodeArp(payload: Uint8Array): ArpPacket | undefined {
  const reader = new ByteReader(payload, 'ARP packet');
  const isEthernet = reader.u16be() === ETHERNET;
  const isIpv4 = reader.u16be() === EtherType.ipv4;
  const hasTheirLengths = reader.u16be() === 0x0604;
  if (!isEthernet || !isIpv4 || !hasTheirLengths) return undefined;
  return { operation: reader.u16be(), sender: readStation(reader), target: readStation(reader) };
}

function readStation(reader: ByteReader): Station {
  const mac = macFromBytes(reader.bytes(6));
  return { mac, ip: ipFromBytes(reader.bytes(4)) };
}
