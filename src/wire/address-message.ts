/** RTM_NEWADDR, RTM_DELADDR, RTM_GETADDR: addresses on links (linux/if_addr.h). */

import { addressBits, type Family, familyOf, type Ip } from '../model/ip.ts';
import { ByteWriter } from './byte-writer.ts';
import {
  AttributeReader,
  putAttribute,
  putIp,
  putString,
  putU8,
  putU32,
  type RawAttribute,
} from './netlink-attributes.ts';
import { familyFromNumber, familyNumber } from './netlink-family.ts';
import { WireError } from './wire-error.ts';

export const RTM_NEWADDR = 20;
export const RTM_DELADDR = 21;
export const RTM_GETADDR = 22;

const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;
const IFA_LABEL = 3;
const IFA_BROADCAST = 4;
const IFA_CACHEINFO = 6;
const IFA_FLAGS = 8;
const IFA_RT_PRIORITY = 9;
const IFA_PROTO = 11;

/** IPv4 only; the same bit means "temporary" (RFC 8981) for IPv6. */
export const IFA_F_SECONDARY = 0x01;
export const IFA_F_NODAD = 0x02;
export const IFA_F_OPTIMISTIC = 0x04;
export const IFA_F_DADFAILED = 0x08;
export const IFA_F_DEPRECATED = 0x20;
export const IFA_F_TENTATIVE = 0x40;
export const IFA_F_PERMANENT = 0x80;
export const IFA_F_NOPREFIXROUTE = 0x200;

const headerLength = 8;
const forEver = 0xffffffff;
/** Stands in a draft until its address has been read. */
const unset = '' as Ip;

export interface AddressMessage {
  readonly linkIndex: number;
  readonly ip: Ip;
  readonly prefixLength: number;
  /** IFA_F_* bits. */
  readonly flags: number;
  /** rtnetlink scope number: 0 global, 200 site, 253 link, 254 host, 255 nowhere. */
  readonly scope: number;
  /** The far end, on point-to-point links only. */
  readonly peer?: Ip;
  readonly broadcast?: Ip;
  /** IPv4 only. */
  readonly label?: string;
  readonly lifetime?: AddressLifetime;
  /** Who put the address there (IFAPROT_*), kernels from 5.18 on. */
  readonly protocol?: number;
  /** Metric of the connected route. */
  readonly priority?: number;
  readonly others?: readonly RawAttribute[];
}

/** Seconds left; `Infinity` is for ever. */
export interface AddressLifetime {
  readonly validSeconds: number;
  readonly preferredSeconds: number;
  /** Hundredths of a second since boot; written by the kernel only. */
  readonly created: number;
  readonly updated: number;
}

type Draft = { -readonly [Key in keyof AddressMessage]: AddressMessage[Key] };

/** The two ends as they stand in the message; on all but point-to-point links both are the address itself. */
interface Ends {
  local: Ip | undefined;
  address: Ip | undefined;
}

/** Undefined for families other than IPv4 and IPv6. */
export function decodeAddress(body: Uint8Array): AddressMessage | undefined {
  const reader = new AttributeReader(body, headerLength, 'address message');
  const family = familyFromNumber(reader.headerU8(0));
  const prefixLength = reader.headerU8(1);
  if (family === undefined) return undefined;
  if (prefixLength > addressBits[family]) throw malformed(`prefix length ${prefixLength}`);
  const draft: Draft = {
    linkIndex: reader.headerU32(4),
    ip: unset,
    prefixLength,
    flags: reader.headerU8(2),
    scope: reader.headerU8(3),
  };
  const ends: Ends = { local: undefined, address: undefined };
  while (reader.next()) decodeAttribute(reader, draft, ends);
  settleEnds(family, draft, ends);
  return draft;
}

function decodeAttribute(attributes: AttributeReader, draft: Draft, ends: Ends): void {
  switch (attributes.type) {
    case IFA_ADDRESS:
      ends.address = attributes.ip();
      break;
    case IFA_LOCAL:
      ends.local = attributes.ip();
      break;
    case IFA_LABEL:
      draft.label = attributes.string();
      break;
    case IFA_BROADCAST:
      draft.broadcast = attributes.ip();
      break;
    case IFA_CACHEINFO:
      draft.lifetime = decodeLifetime(attributes);
      break;
    case IFA_FLAGS:
      // Overrides the header's field, which has room for eight of the flags only.
      draft.flags = attributes.u32();
      break;
    case IFA_RT_PRIORITY:
      draft.priority = attributes.u32();
      break;
    case IFA_PROTO:
      draft.protocol = attributes.u8();
      break;
    default:
      draft.others = [...(draft.others ?? []), attributes.raw()];
  }
}

/** IPv6 gives IFA_ADDRESS alone, IPv4 both alike; only if they differ is IFA_ADDRESS the far end. */
function settleEnds(family: Family, draft: Draft, { local, address }: Ends): void {
  const ip = local ?? address;
  if (ip === undefined) throw malformed('no address in it');
  if (familyOf(ip) !== family) throw malformed(`${ip} in a message for ${family}`);
  draft.ip = ip;
  if (address !== undefined && address !== ip) draft.peer = address;
}

/** struct ifa_cacheinfo */
function decodeLifetime(attributes: AttributeReader): AddressLifetime {
  return {
    preferredSeconds: secondsFromWire(attributes.u32At(0, 4)),
    validSeconds: secondsFromWire(attributes.u32At(1, 4)),
    created: attributes.u32At(2, 4),
    updated: attributes.u32At(3, 4),
  };
}

/** The body of a request that adds, changes or removes the address. */
export function encodeAddress(message: AddressMessage): Uint8Array {
  const { ip, flags, label, lifetime, protocol, priority, broadcast } = message;
  const writer = new ByteWriter(96);
  writer
    .u8(familyNumber[familyOf(ip)])
    .u8(message.prefixLength)
    .u8(flags & 0xff)
    .u8(message.scope);
  writer.u32le(message.linkIndex);
  putIp(writer, IFA_LOCAL, ip);
  putIp(writer, IFA_ADDRESS, message.peer ?? ip);
  if (broadcast !== undefined) putIp(writer, IFA_BROADCAST, broadcast);
  if (label !== undefined) putString(writer, IFA_LABEL, label);
  if (protocol !== undefined) putU8(writer, IFA_PROTO, protocol);
  if (flags > 0xff) putU32(writer, IFA_FLAGS, flags);
  if (priority !== undefined) putU32(writer, IFA_RT_PRIORITY, priority);
  if (lifetime !== undefined) encodeLifetime(writer, lifetime);
  for (const { type, value } of message.others ?? []) putAttribute(writer, type, value);
  return writer.finish();
}

function encodeLifetime(writer: ByteWriter, lifetime: AddressLifetime): void {
  const value = new ByteWriter(16)
    .u32le(secondsToWire(lifetime.preferredSeconds))
    .u32le(secondsToWire(lifetime.validSeconds))
    .u32le(lifetime.created)
    .u32le(lifetime.updated);
  putAttribute(writer, IFA_CACHEINFO, value.written());
}

/** Asks for the addresses of all links: a dump of one link never says that it was interrupted. */
export function encodeAddressQuery(): Uint8Array {
  return new Uint8Array(headerLength);
}

function secondsFromWire(seconds: number): number {
  return seconds === forEver ? Infinity : seconds;
}

function secondsToWire(seconds: number): number {
  return seconds >= forEver ? forEver : Math.max(0, Math.ceil(seconds));
}

function malformed(problem: string): WireError {
  return new WireError('WIRE_MALFORMED', `address message: ${problem}`);
}
