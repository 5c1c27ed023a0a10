/** RTM_NEWROUTE, RTM_DELROUTE, RTM_GETROUTE (linux/rtnetlink.h). */

import { addressBits, type Family, familyOf, type Ip } from '../model/ip.ts';
import type { Route, RouteType } from '../model/route.ts';
import { ByteWriter } from './byte-writer.ts';
import { AttributeReader, putIp, putU32 } from './netlink-attributes.ts';
import { familyFromNumber, familyNumber } from './netlink-family.ts';
import {
  decodeNextHopAttribute,
  encodeNextHops,
  type NextHopDraft,
  nextHopsFrom,
} from './next-hop.ts';
import { WireError } from './wire-error.ts';

export const RTM_NEWROUTE = 24;
export const RTM_DELROUTE = 25;
export const RTM_GETROUTE = 26;

const RTA_DST = 1;
const RTA_PRIORITY = 6;
const RTA_PREFSRC = 7;
const RTA_TABLE = 15;

/** A cached result of a lookup, not an entry of a table. */
const RTM_F_CLONED = 0x200;
const RT_TABLE_LOCAL = 255;
/** Stands in the header for tables whose number does not fit there. */
const RT_TABLE_COMPAT = 252;

const headerLength = 12;

const routeTypes = new Map<number, RouteType>([
  [1, 'unicast'],
  [2, 'local'],
  [3, 'broadcast'],
  [4, 'anycast'],
  [5, 'multicast'],
  [6, 'blackhole'],
  [7, 'unreachable'],
  [8, 'prohibit'],
]);
const routeTypeNumbers = new Map([...routeTypes].map(([number, type]) => [type, number]));

interface Draft extends NextHopDraft {
  destination?: Ip;
  table?: number;
  metric?: number;
  source?: Ip;
}

/** Undefined for families other than IPv4 and IPv6. */
export function decodeRoute(body: Uint8Array): Route | undefined {
  const reader = new AttributeReader(body, headerLength, 'route message');
  const family = familyFromNumber(reader.headerU8(0));
  if (family === undefined) return undefined;
  const draft: Draft = {};
  while (reader.next()) decodeAttribute(reader, draft);
  const { source, table = reader.headerU8(4), metric = 0 } = draft;
  return {
    family,
    ...destinationOf(family, draft.destination, reader.headerU8(1)),
    nextHops: nextHopsFrom(draft),
    ...(source !== undefined && { source }),
    metric,
    table,
    protocol: reader.headerU8(5),
    type: routeTypes.get(reader.headerU8(7)) ?? 'other',
    scope: reader.headerU8(6),
  };
}

/**
 * Entries of the `local` table follow from addresses one to one, and cached lookups are no entries at all; nobody
 * reads either, and with many addresses they are most of a dump: they are told apart without decoding.
 */
export function isDerivedRoute(body: Uint8Array): boolean {
  if (body.length < headerLength) return false;
  const flags = new DataView(body.buffer, body.byteOffset).getUint32(8, true);
  return body[4] === RT_TABLE_LOCAL || (flags & RTM_F_CLONED) !== 0;
}

/** Asks for the routes of all families and tables. */
export function encodeRouteQuery(): Uint8Array {
  return new Uint8Array(headerLength);
}

function decodeAttribute(attributes: AttributeReader, draft: Draft): void {
  switch (attributes.type) {
    case RTA_DST:
      draft.destination = attributes.ip();
      break;
    case RTA_PRIORITY:
      draft.metric = attributes.u32();
      break;
    case RTA_PREFSRC:
      draft.source = attributes.ip();
      break;
    case RTA_TABLE:
      draft.table = attributes.u32();
      break;
    default:
      decodeNextHopAttribute(attributes, draft);
  }
}

function destinationOf(
  family: Family,
  ip: Ip | undefined,
  prefixLength: number,
): Pick<Route, 'destination'> {
  if (prefixLength > addressBits[family]) throw malformed(`prefix length ${prefixLength}`);
  if (ip !== undefined && familyOf(ip) !== family) {
    throw malformed(`${ip} in a message for ${family}`);
  }
  if (prefixLength === 0) return {};
  if (ip === undefined) throw malformed(`prefix length ${prefixLength} without a destination`);
  return { destination: { ip, prefixLength } };
}

/** The body of a request that adds or removes the route. */
export function encodeRoute(route: Route): Uint8Array {
  const { family, destination, source, nextHops, metric, table } = route;
  const writer = new ByteWriter(96);
  writer
    .u8(familyNumber[family])
    .u8(destination?.prefixLength ?? 0)
    .zeros(2);
  writer
    .u8(table > 255 ? RT_TABLE_COMPAT : table)
    .u8(route.protocol)
    .u8(route.scope);
  writer.u8(typeNumber(route.type)).zeros(4);
  if (destination !== undefined) putIp(writer, RTA_DST, destination.ip);
  putU32(writer, RTA_TABLE, table);
  if (metric !== 0) putU32(writer, RTA_PRIORITY, metric);
  if (source !== undefined) putIp(writer, RTA_PREFSRC, source);
  encodeNextHops(writer, family, nextHops);
  return writer.finish();
}

function typeNumber(type: RouteType): number {
  const number = routeTypeNumbers.get(type);
  if (number === undefined) throw new TypeError(`a route of type "${type}" cannot be written`);
  return number;
}

function malformed(problem: string): WireError {
  return new WireError('WIRE_MALFORMED', `route message: ${problem}`);
}
