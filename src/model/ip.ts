/** IP addresses. The canonical text (RFC 5952 for IPv6) is the identity: two addresses are equal when `===`. */

import { must, type Parsed, problem } from './parsed.ts';

declare const ipBrand: unique symbol;
export type Ip = string & { readonly [ipBrand]: true };

export type Family = 'ipv4' | 'ipv6';

export const familyNames = { ipv4: 'IPv4', ipv6: 'IPv6' } as const satisfies Record<Family, string>;

export const addressBits = { ipv4: 32, ipv6: 128 } as const satisfies Record<Family, number>;

export function familyOf(ip: Ip): Family {
  return ip.includes(':') ? 'ipv6' : 'ipv4';
}

// Of ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255; what is longer is not taken apart at all.
const longestText = 45;

export function parseIp(text: string, path = ''): Parsed<Ip> {
  const bytes = text.length <= longestText ? parseBytes(text) : undefined;
  if (bytes !== undefined) return { value: ipFromBytes(bytes) };
  return problem(path, `"${abbreviate(text)}" is not an IP address${hintFor(text)}`);
}

/** An address whose text is known to be right; throws otherwise. */
export function ipOf(text: string): Ip {
  return must(parseIp(text));
}

export function ipToBytes(ip: Ip): Uint8Array<ArrayBuffer> {
  const bytes = parseBytes(ip);
  if (bytes === undefined) throw new TypeError(`not a canonical IP address: ${ip}`);
  return bytes;
}

/** Four bytes are IPv4, sixteen IPv6: also IPv4-mapped ones, which stay IPv6. */
export function ipFromBytes(bytes: Uint8Array): Ip {
  return ipFromBytesAt(bytes, 0, bytes.length);
}

/** An address inside a packet, without a view of its own: a dump has tens of thousands of them. */
export function ipFromBytesAt(bytes: Uint8Array, start: number, length: number): Ip {
  if (length === 4) return formatIpv4(bytes, start) as Ip;
  if (length === 16) return formatIpv6(bytes, start) as Ip;
  throw new TypeError(`an IP address has 4 or 16 bytes, not ${length}`);
}

export function ipToBigInt(ip: Ip): bigint {
  const short = readIpv4(ip);
  if (short >= 0) return BigInt(short);
  const known = longValues.get(ip);
  if (known !== undefined) return known;
  const view = new DataView(ipToBytes(ip).buffer);
  const value = (view.getBigUint64(0) << 64n) | view.getBigUint64(8);
  if (longValues.size >= mostLongValues) longValues.clear();
  longValues.set(ip, value);
  return value;
}

/** The same few IPv6 addresses are compared with prefixes again and again, and take long to read. */
const longValues = new Map<Ip, bigint>();
const mostLongValues = 4_096;

export function ipFromBigInt(family: Family, value: bigint): Ip {
  const bits = addressBits[family];
  if (value < 0n || value >> BigInt(bits) !== 0n) {
    throw new RangeError(`${value} does not fit an ${family} address`);
  }
  const view = new DataView(new ArrayBuffer(bits / 8));
  if (family === 'ipv4') {
    view.setUint32(0, Number(value));
  } else {
    view.setBigUint64(0, value >> 64n);
    view.setBigUint64(8, BigInt.asUintN(64, value));
  }
  return ipFromBytes(new Uint8Array(view.buffer));
}

/** Numeric order, IPv4 before IPv6. */
export function compareIps(left: Ip, right: Ip): number {
  if (left === right) return 0;
  const leftBytes = ipToBytes(left);
  const rightBytes = ipToBytes(right);
  if (leftBytes.length !== rightBytes.length) return leftBytes.length < rightBytes.length ? -1 : 1;
  const index = leftBytes.findIndex((byte, at) => byte !== rightBytes[at]);
  return (leftBytes[index] ?? 0) < (rightBytes[index] ?? 0) ? -1 : 1;
}

/** `::ffff:192.0.2.1`: the same host under a second name; pools and requests refuse it. */
export function isIpv4Mapped(ip: Ip): boolean {
  return ip.startsWith('::ffff:') && ip.includes('.');
}

/** The IPv4 address that an IPv4-mapped one is another name for (RFC 4291, 2.5.5.2). */
export function unmapIpv4(ip: Ip): Ip {
  return isIpv4Mapped(ip) ? ipFromBytes(ipToBytes(ip).subarray(12)) : ip;
}

function parseBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

const [zero, nine] = [0x30, 0x39];

/** Digit by digit: every decision about an address begins here, thousands of times a second in large clusters. */
function parseIpv4(text: string): Uint8Array<ArrayBuffer> | undefined {
  const value = readIpv4(text);
  if (value < 0) return undefined;
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/** As a number below 2^32; -1 for what is none. */
function readIpv4(text: string): number {
  let value = 0;
  let start = 0;
  for (let part = 0; part < 4; part++) {
    const end = part === 3 ? text.length : text.indexOf('.', start);
    const byte = end < 0 ? -1 : readByte(text, start, end);
    if (byte < 0) return -1;
    value = value * 256 + byte;
    start = end + 1;
  }
  return value;
}

function readByte(text: string, start: number, end: number): number {
  const length = end - start;
  // A leading zero is read as octal by some tools and as decimal by others.
  if (length < 1 || length > 3 || (length > 1 && text.charCodeAt(start) === zero)) return -1;
  let value = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code < zero || code > nine) return -1;
    value = value * 10 + code - zero;
  }
  return value > 255 ? -1 : value;
}

function parseIpv6(text: string): Uint8Array<ArrayBuffer> | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  const tail = parseGroups(halves[1] ?? '', true);
  if (head === undefined || tail === undefined) return undefined;
  const given = head.length + tail.length;
  if (halves.length === 2 ? given > 14 : given !== 16) return undefined;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

/** Bytes of `1:2:3`, where the text's last group may be a dotted quad. */
function parseGroups(text: string, isLast: boolean): number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    const part = parseGroup(group, isLast && index === groups.length - 1);
    if (part === undefined) return undefined;
    bytes.push(...part);
  }
  return bytes;
}

function parseGroup(group: string, mayBeQuad: boolean): readonly number[] | undefined {
  if (mayBeQuad && group.includes('.')) {
    const quad = parseIpv4(group);
    return quad === undefined ? undefined : [...quad];
  }
  if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

function formatIpv4(bytes: Uint8Array, start: number): string {
  return `${bytes[start]}.${bytes[start + 1]}.${bytes[start + 2]}.${bytes[start + 3]}`;
}

/**
 * RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. Plain loops: a
 * dump of the kernel's addresses spends most of its time here.
 */
function formatIpv6(bytes: Uint8Array, start: number): string {
  const groups: number[] = [];
  for (let at = start; at < start + 16; at += 2) {
    groups.push(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
  }
  const run = longestZeroRun(groups);
  if (run.start === 0 && run.length === 5 && groups[5] === 0xffff) {
    return `::ffff:${formatIpv4(bytes, start + 12)}`;
  }
  if (run.length < 2) return formatGroups(groups, 0, 8);
  return `${formatGroups(groups, 0, run.start)}::${formatGroups(groups, run.start + run.length, 8)}`;
}

function formatGroups(groups: readonly number[], start: number, end: number): string {
  let text = '';
  for (let index = start; index < end; index++) {
    if (index > start) text += ':';
    text += (groups[index] ?? 0).toString(16);
  }
  return text;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (let index = 0; index < groups.length; index++) {
    if (groups[index] !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}

function hintFor(text: string): string {
  if (text === '') return ': it is empty';
  if (text.length > 10 * longestText) return '';
  if (text.trim() !== text) return ': remove the blanks around it';
  if (text.includes('%')) return ': leave out the zone after "%"';
  if (text.includes('/')) return ': leave out the prefix length after "/"';
  if (/^[\d.]+$/.test(text) && /(^|\.)0\d/.test(text)) return ': leave out leading zeros';
  return '';
}

/** Outside text goes into messages, events and logs: keep it short there, and on one line. */
export function abbreviate(text: string, limit = 60): string {
  const short = text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
  return short.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
