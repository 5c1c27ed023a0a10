/** Where a route leads: gateways, output links and their weights (linux/rtnetlink.h). */

import {
  addressBits,
  type Family,
  familyOf,
  type Ip,
  ipFromBytes,
  ipToBytes,
} from '../model/ip.ts';
import type { NextHop } from '../model/route.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { AttributeReader, putAttribute, putIp, putU32 } from './netlink-attributes.ts';
import { familyFromNumber, familyNumber } from './netlink-family.ts';
import { align4 } from './netlink-message.ts';
import { WireError } from './wire-error.ts';

const RTA_OIF = 4;
const RTA_GATEWAY = 5;
const RTA_MULTIPATH = 9;
const RTA_VIA = 18;

const headerLength = 8;

/** Filled attribute by attribute: a route has either one way out or a list of them. */
export interface NextHopDraft {
  linkIndex?: number;
  gateway?: Ip;
  multipath?: readonly NextHop[];
}

/** Takes the current attribute if it is about next hops. */
export function decodeNextHopAttribute(attributes: AttributeReader, draft: NextHopDraft): void {
  switch (attributes.type) {
    case RTA_OIF:
      draft.linkIndex = attributes.u32();
      break;
    case RTA_GATEWAY:
      draft.gateway = attributes.ip();
      break;
    case RTA_VIA:
      draft.gateway = decodeVia(attributes.bytes());
      break;
    case RTA_MULTIPATH:
      draft.multipath = decodeMultipath(attributes.bytes());
      break;
  }
}

export function nextHopsFrom({ linkIndex, gateway, multipath }: NextHopDraft): readonly NextHop[] {
  if (multipath !== undefined) return multipath;
  if (linkIndex === undefined && gateway === undefined) return [];
  return [nextHop(linkIndex, gateway, 1)];
}

function nextHop(linkIndex: number | undefined, gateway: Ip | undefined, weight: number): NextHop {
  return {
    ...(linkIndex !== undefined && { linkIndex }),
    ...(gateway !== undefined && { gateway }),
    weight,
  };
}

/** struct rtvia: a gateway of the other family, its own family before it. */
function decodeVia(value: Uint8Array): Ip {
  const reader = new ByteReader(value, 'next hop, RTA_VIA');
  const family = familyFromNumber(reader.u16le());
  if (family === undefined || reader.remaining !== addressBits[family] / 8) {
    throw new WireError('WIRE_MALFORMED', 'next hop: RTA_VIA is neither IPv4 nor IPv6');
  }
  return ipFromBytes(reader.rest());
}

/** A sequence of struct rtnexthop, each followed by attributes of its own. */
function decodeMultipath(value: Uint8Array): readonly NextHop[] {
  const hops: NextHop[] = [];
  for (let start = 0; start < value.length; ) {
    const reader = new ByteReader(value.subarray(start), 'next hop');
    const length = reader.u16le();
    if (length < headerLength) {
      throw new WireError('WIRE_MALFORMED', `next hop claims to be ${length} bytes long`);
    }
    reader.skip(1);
    const weight = reader.u8() + 1;
    const linkIndex = reader.u32le();
    const draft: NextHopDraft = {};
    const attributes = new AttributeReader(reader.bytes(length - headerLength), 0, 'next hop');
    while (attributes.next()) decodeNextHopAttribute(attributes, draft);
    hops.push(nextHop(linkIndex === 0 ? undefined : linkIndex, draft.gateway, weight));
    start += align4(length);
  }
  return hops;
}

export function encodeNextHops(writer: ByteWriter, family: Family, hops: readonly NextHop[]): void {
  const [first] = hops;
  if (first === undefined) return;
  if (hops.length > 1 || first.weight !== 1) {
    putAttribute(writer, RTA_MULTIPATH, encodeMultipath(family, hops));
    return;
  }
  if (first.linkIndex !== undefined) putU32(writer, RTA_OIF, first.linkIndex);
  if (first.gateway !== undefined) encodeGateway(writer, family, first.gateway);
}

function encodeMultipath(family: Family, hops: readonly NextHop[]): Uint8Array {
  const writer = new ByteWriter(64);
  for (const hop of hops) {
    const start = writer.length;
    writer
      .u16le(0)
      .u8(0)
      .u8(hop.weight - 1)
      .u32le(hop.linkIndex ?? 0);
    if (hop.gateway !== undefined) encodeGateway(writer, family, hop.gateway);
    writer.patchU16le(start, writer.length - start);
  }
  return writer.finish();
}

function encodeGateway(writer: ByteWriter, family: Family, gateway: Ip): void {
  const gatewayFamily = familyOf(gateway);
  if (gatewayFamily === family) {
    putIp(writer, RTA_GATEWAY, gateway);
    return;
  }
  const via = new ByteWriter(20).u16le(familyNumber[gatewayFamily]).bytes(ipToBytes(gateway));
  putAttribute(writer, RTA_VIA, via.written());
}
