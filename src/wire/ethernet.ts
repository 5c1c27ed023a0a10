/** Ethernet II frames (RFC 894), with the tags of IEEE 802.1Q and 802.1ad. */

import { type Mac, macFromBytes, macToBytes } from '../model/mac.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

export const EtherType = {
  ipv4: 0x0800,
  arp: 0x0806,
  vlan: 0x8100,
  ipv6: 0x86dd,
  serviceVlan: 0x88a8,
} as const;

export interface EthernetFrame {
  readonly destination: Mac;
  readonly source: Mac;
  /** Outermost first; empty on a frame that belongs to the link itself. */
  readonly tags: readonly VlanTag[];
  /** Of the payload, behind all tags. */
  readonly etherType: number;
  /** With the padding to the minimum length, if there is any: Ethernet does not say where it begins. */
  readonly payload: Uint8Array;
}

export interface VlanTag {
  readonly protocol: VlanProtocol;
  readonly priority: number;
  readonly dropEligible: boolean;
  /** 0: the tag carries a priority only. */
  readonly vlan: number;
}

export type VlanProtocol = typeof EtherType.vlan | typeof EtherType.serviceVlan;

export function encodeEthernet(frame: EthernetFrame): Uint8Array {
  const writer = new ByteWriter(14 + 4 * frame.tags.length + frame.payload.length)
    .bytes(macToBytes(frame.destination))
    .bytes(macToBytes(frame.source));
  for (const tag of frame.tags) {
    const dropEligible = tag.dropEligible ? 0x1000 : 0;
    writer.u16be(tag.protocol).u16be((tag.priority << 13) | dropEligible | tag.vlan);
  }
  return writer.u16be(frame.etherType).bytes(frame.payload).finish();
}

export function decodeEthernet(bytes: Uint8Array): EthernetFrame {
  const reader = new ByteReader(bytes, 'Ethernet frame');
  const destination = macFromBytes(reader.bytes(6));
  const source = macFromBytes(reader.bytes(6));
  const tags: VlanTag[] = [];
  let etherType = reader.u16be();
  while (isVlanProtocol(etherType)) {
    const control = reader.u16be();
    tags.push({
      protocol: etherType,
      priority: control >> 13,
      dropEligible: (control & 0x1000) !== 0,
      vlan: control & 0x0fff,
    });
    etherType = reader.u16be();
  }
  return { destination, source, tags, etherType, payload: reader.rest() };
}

function isVlanProtocol(etherType: number): etherType is VlanProtocol {
  return etherType === EtherType.vlan || etherType === EtherType.serviceVlan;
}
