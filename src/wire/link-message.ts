/** RTM_NEWLINK, RTM_DELLINK, RTM_GETLINK, RTM_SETLINK: network interfaces (linux/if_link.h). */

import { type Link, type OperState, operStates } from '../model/link.ts';
import { type Mac, macFromBytes } from '../model/mac.ts';
import { ByteWriter } from './byte-writer.ts';
import {
  AttributeReader,
  putAttribute,
  putNested,
  putString,
  putU8,
  putU32,
} from './netlink-attributes.ts';
import { AF_BRIDGE, AF_UNSPEC } from './netlink-family.ts';
import { WireError } from './wire-error.ts';

export const RTM_NEWLINK = 16;
export const RTM_DELLINK = 17;
export const RTM_GETLINK = 18;

const IFLA_ADDRESS = 1;
const IFLA_IFNAME = 3;
const IFLA_MTU = 4;
const IFLA_MASTER = 10;
const IFLA_OPERSTATE = 16;
const IFLA_LINKINFO = 18;
const IFLA_EXT_MASK = 29;
const IFLA_CARRIER = 33;
const IFLA_INFO_KIND = 1;

export const IFF_UP = 0x1;
export const IFF_LOOPBACK = 0x8;
export const IFF_NOARP = 0x80;
export const IFF_LOWER_UP = 0x10000;

/** Leaves out the counters, which are most of a link's description. */
export const RTEXT_FILTER_SKIP_STATS = 8;

const headerLength = 16;

/** The parts of a link's description that are read or written here; the dozens of others are skipped. */
export interface LinkMessage {
  /** AF_BRIDGE tells of a bridge port, not of the link: see `isAboutLink`. */
  readonly family: number;
  /** 0 in requests that name the link instead. */
  readonly index: number;
  /** IFF_* bits. */
  readonly flags: number;
  /** Which of the flags a request wants changed. */
  readonly changedFlags: number;
  readonly name?: string;
  readonly mtu?: number;
  readonly hardwareAddress?: Uint8Array;
  /** IF_OPER_* number. */
  readonly operState?: number;
  readonly hasCarrier?: boolean;
  readonly masterIndex?: number;
  readonly kind?: string;
  /** RTEXT_FILTER_* bits of a query. */
  readonly filter?: number;
}

type Draft = { -readonly [Key in keyof LinkMessage]: LinkMessage[Key] };

export function decodeLink(body: Uint8Array): LinkMessage {
  const reader = new AttributeReader(body, headerLength, 'link message');
  const draft: Draft = {
    family: reader.headerU8(0),
    index: reader.headerU32(4),
    flags: reader.headerU32(8),
    changedFlags: reader.headerU32(12),
  };
  while (reader.next()) decodeAttribute(reader, draft);
  return draft;
}

function decodeAttribute(attributes: AttributeReader, draft: Draft): void {
  switch (attributes.type) {
    case IFLA_ADDRESS:
      draft.hardwareAddress = attributes.bytes().slice();
      break;
    case IFLA_IFNAME:
      draft.name = attributes.string();
      break;
    case IFLA_MTU:
      draft.mtu = attributes.u32();
      break;
    case IFLA_MASTER:
      draft.masterIndex = attributes.u32();
      break;
    case IFLA_OPERSTATE:
      draft.operState = attributes.u8();
      break;
    case IFLA_CARRIER:
      draft.hasCarrier = attributes.u8() !== 0;
      break;
    case IFLA_EXT_MASK:
      draft.filter = attributes.u32();
      break;
    case IFLA_LINKINFO:
      decodeLinkInfo(attributes.nested(), draft);
      break;
  }
}

function decodeLinkInfo(attributes: AttributeReader, draft: Draft): void {
  while (attributes.next()) {
    if (attributes.type === IFLA_INFO_KIND) draft.kind = attributes.string();
  }
}

export function encodeLink(given: Partial<LinkMessage>): Uint8Array {
  const message = { family: AF_UNSPEC, index: 0, flags: 0, changedFlags: 0, ...given };
  const { kind } = message;
  const writer = new ByteWriter(64);
  writer.u8(message.family).zeros(3).u32le(message.index);
  writer.u32le(message.flags).u32le(message.changedFlags);
  if (message.name !== undefined) putString(writer, IFLA_IFNAME, message.name);
  if (message.mtu !== undefined) putU32(writer, IFLA_MTU, message.mtu);
  if (message.hardwareAddress) putAttribute(writer, IFLA_ADDRESS, message.hardwareAddress);
  if (message.operState !== undefined) putU8(writer, IFLA_OPERSTATE, message.operState);
  if (message.hasCarrier !== undefined) putU8(writer, IFLA_CARRIER, Number(message.hasCarrier));
  if (message.masterIndex !== undefined) putU32(writer, IFLA_MASTER, message.masterIndex);
  if (message.filter !== undefined) putU32(writer, IFLA_EXT_MASK, message.filter);
  if (kind !== undefined) {
    putNested(writer, IFLA_LINKINFO, () => putString(writer, IFLA_INFO_KIND, kind));
  }
  return writer.finish();
}

/** A bridge port leaving its bridge arrives as RTM_DELLINK too: the family is the only difference. */
export function isAboutLink(message: LinkMessage): boolean {
  return message.family !== AF_BRIDGE;
}

export function linkFromMessage(message: LinkMessage): Link {
  const { index, flags, name, kind, masterIndex } = message;
  if (name === undefined) throw new WireError('WIRE_MALFORMED', `link ${index} has no name`);
  const mac = macFrom(message.hardwareAddress);
  return {
    index,
    name,
    ...(kind !== undefined && { kind }),
    ...(mac !== undefined && { mac }),
    mtu: message.mtu ?? 0,
    isUp: (flags & IFF_UP) !== 0,
    hasCarrier: (flags & IFF_LOWER_UP) !== 0,
    operState: operStateFrom(message.operState),
    isLoopback: (flags & IFF_LOOPBACK) !== 0,
    isNoArp: (flags & IFF_NOARP) !== 0,
    ...(masterIndex !== undefined && { masterIndex }),
  };
}

/** Tunnels have addresses of other lengths, and loopback an all-zero one: neither can stand in a frame. */
function macFrom(address: Uint8Array | undefined): Mac | undefined {
  if (address?.length !== 6 || address.every((byte) => byte === 0)) return undefined;
  return macFromBytes(address);
}

function operStateFrom(number = 0): OperState {
  return operStates[number] ?? 'unknown';
}
