/** A run of addresses, both ends included. Kept as numbers: no cost grows with how many there are. */

import {
  abbreviate,
  addressBits,
  compareIps,
  type Family,
  familyOf,
  type Ip,
  ipFromBigInt,
  ipToBigInt,
  isIpv4Mapped,
  parseIp,
  unmapIpv4,
} from './ip.ts';
import { isProblem, must, type Parsed, problem, problemsOf } from './parsed.ts';
import { lastOf, type Prefix, parsePrefix } from './prefix.ts';

export interface Range {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
}

interface Ends {
  readonly from: Ip;
  readonly to: Ip;
}

/** Two addresses of the longest kind with room for blanks; what is longer is not taken apart. */
const longestText = 128;

/**
 * `from-to`, or a CIDR: that starts at the address as written, so `192.0.2.5/24` is .5 to .255, and gives out the
 * network's first and last address like any other.
 */
export function parseRange(text: string, path = ''): Parsed<Range> {
  if (text.length > longestText) {
    return problem(path, `"${abbreviate(text)}" is too long for a range${expected}`);
  }
  const ends = text.includes('-') ? parseFromTo(text, path) : parseCidr(text, path);
  if (isProblem(ends)) return ends;
  return rangeBetween(text, ends.value, path);
}

/** A range whose text is known to be right; throws otherwise. */
export function rangeOf(text: string): Range {
  return must(parseRange(text));
}

/** All addresses of the network, from the first on, whatever the bits behind the prefix. */
export function rangeOfPrefix(prefix: Prefix): Range {
  const family = familyOf(prefix.ip);
  const hostBits = BigInt(addressBits[family] - prefix.length);
  const first = (ipToBigInt(prefix.ip) >> hostBits) << hostBits;
  return { family, first, last: first + (1n << hostBits) - 1n };
}

export function formatRange(range: Range): string {
  return `${rangeFirst(range)}-${rangeLast(range)}`;
}

export function rangeFirst({ family, first }: Range): Ip {
  return ipFromBigInt(family, first);
}

export function rangeLast({ family, last }: Range): Ip {
  return ipFromBigInt(family, last);
}

export function rangeSize({ first, last }: Range): bigint {
  return last - first + 1n;
}

export function rangeContains({ family, first, last }: Range, ip: Ip): boolean {
  if (familyOf(ip) !== family) return false;
  const value = ipToBigInt(ip);
  return first <= value && value <= last;
}

export function rangesOverlap(left: Range, right: Range): boolean {
  return left.family === right.family && left.first <= right.last && right.first <= left.last;
}

export function isRangeWithin(inner: Range, outer: Range): boolean {
  return inner.family === outer.family && outer.first <= inner.first && inner.last <= outer.last;
}

const expected = ': write it like 192.0.2.10-192.0.2.20 or 192.0.2.0/24';

function parseFromTo(text: string, path: string): Parsed<Ends> {
  const dash = text.indexOf('-');
  const from = parseEnd(text.slice(0, dash), 'start', path);
  const to = parseEnd(text.slice(dash + 1), 'end', path);
  if (!isProblem(from) && !isProblem(to)) return { value: { from: from.value, to: to.value } };
  return { problems: problemsOf(from, to) };
}

function parseEnd(text: string, which: 'start' | 'end', path: string): Parsed<Ip> {
  const trimmed = text.trim();
  if (trimmed === '') return problem(path, `the range has no ${which}${expected}`);
  return parseIp(trimmed, path);
}

function parseCidr(text: string, path: string): Parsed<Ends> {
  if (!text.includes('/') && isProblem(parseIp(text))) {
    return problem(path, `"${abbreviate(text)}" is not a range${expected}`);
  }
  const prefix = parsePrefix(text, path);
  if (isProblem(prefix)) return prefix;
  return { value: { from: prefix.value.ip, to: lastOf(prefix.value) } };
}

/** Checks the two ends against each other. */
function rangeBetween(text: string, { from, to }: Ends, path: string): Parsed<Range> {
  const written = `"${abbreviate(text)}"`;
  const [low = from, high = to] = [unmapIpv4(from), unmapIpv4(to)].sort(compareIps);
  if (familyOf(low) !== familyOf(high)) {
    return problem(path, `${written} mixes IPv4 and IPv6: give each family a range of its own`);
  }
  if (isIpv4Mapped(from) || isIpv4Mapped(to)) {
    return problem(path, `${written} is IPv4 written as IPv6: write ${low}-${high}`);
  }
  if (low !== from) return problem(path, `${written} runs backwards: write ${low}-${high}`);
  return { value: { family: familyOf(low), first: ipToBigInt(low), last: ipToBigInt(high) } };
}
