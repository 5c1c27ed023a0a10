/** An address with a prefix length, as written on an interface: bits behind the prefix are kept. */

import {
  abbreviate,
  addressBits,
  familyOf,
  type Ip,
  ipFromBigInt,
  ipToBigInt,
  parseIp,
} from './ip.ts';
import { isProblem, must, type Parsed, problem, problemsOf } from './parsed.ts';

export interface Prefix {
  readonly ip: Ip;
  readonly length: number;
}

export function parsePrefix(text: string, path = ''): Parsed<Prefix> {
  const slash = text.indexOf('/');
  if (slash < 0) return problem(path, `"${abbreviate(text)}" is not a prefix${hintFor(text)}`);
  const ip = parseIp(text.slice(0, slash), path);
  const length = parseLength(text.slice(slash + 1), ip, path);
  if (!isProblem(ip) && !isProblem(length))
    return { value: { ip: ip.value, length: length.value } };
  return { problems: problemsOf(ip, length) };
}

/** A prefix whose text is known to be right; throws otherwise. */
export function prefixOf(text: string): Prefix {
  return must(parsePrefix(text));
}

export function formatPrefix({ ip, length }: Prefix): string {
  return `${ip}/${length}`;
}

/** The prefix of one address alone: /32 or /128. */
export function hostPrefixOf(ip: Ip): Prefix {
  return { ip, length: addressBits[familyOf(ip)] };
}

/** The same network with all bits behind the prefix cleared. */
export function networkOf(prefix: Prefix): Prefix {
  const hostBits = hostBitsOf(prefix);
  const network = (ipToBigInt(prefix.ip) >> hostBits) << hostBits;
  return { ip: ipFromBigInt(familyOf(prefix.ip), network), length: prefix.length };
}

/** The last address of the network: IPv4's broadcast address where the network has one. */
export function lastOf(prefix: Prefix): Ip {
  const hostMask = (1n << hostBitsOf(prefix)) - 1n;
  return ipFromBigInt(familyOf(prefix.ip), ipToBigInt(prefix.ip) | hostMask);
}

export function prefixContains(prefix: Prefix, ip: Ip): boolean {
  if (familyOf(prefix.ip) !== familyOf(ip)) return false;
  return (ipToBigInt(prefix.ip) ^ ipToBigInt(ip)) >> hostBitsOf(prefix) === 0n;
}

/** Two networks overlap exactly when the wider one contains the other. */
export function prefixesOverlap(left: Prefix, right: Prefix): boolean {
  return left.length <= right.length
    ? prefixContains(left, right.ip)
    : prefixContains(right, left.ip);
}

function hostBitsOf({ ip, length }: Prefix): bigint {
  return BigInt(addressBits[familyOf(ip)] - length);
}

/** Judged against the address' own family where the address could be read, else against the wider one. */
function parseLength(text: string, ip: Parsed<Ip>, path: string): Parsed<number> {
  const family = isProblem(ip) ? 'ipv6' : familyOf(ip.value);
  const longest = addressBits[family];
  if (/^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= longest) return { value: Number(text) };
  const name = family === 'ipv4' ? 'IPv4' : 'IPv6';
  return problem(
    path,
    `"${abbreviate(text)}" is not a prefix length: write 0 to ${longest} after the "/" for ${name}`,
  );
}

function hintFor(text: string): string {
  const ip = parseIp(text);
  if (isProblem(ip)) return ' such as 192.0.2.0/24 or 2001:db8::/64';
  return `: for this address alone write ${formatPrefix(hostPrefixOf(ip.value))}`;
}
