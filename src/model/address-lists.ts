/** Annotations of Services that hold addresses: those wished for, where to move them, their prefixes. */

import { abbreviate, type Ip, isIpv4Mapped, parseIp, unmapIpv4 } from './ip.ts';
import { isProblem, type Parsed, problem, problemsOf } from './parsed.ts';
import { formatPrefix, type Prefix, parsePrefix } from './prefix.ts';

export interface Move {
  readonly ip: Ip;
  readonly node: string;
}

/** `ip` or `ip,ip`: blanks and empty parts are passed over, and so is an address that was given before. */
export function parseAddresses(text: string, path: string): Parsed<readonly Ip[]> {
  const all = collect(partsOf(text).map((part) => parseWish(part, path)));
  return isProblem(all) ? all : { value: [...new Set(all.value)] };
}

/** `ip=node`, several separated by commas. */
export function parseMoves(text: string, path: string): Parsed<readonly Move[]> {
  return collect(partsOf(text).map((part) => parseMove(part, path)));
}

export function encodeMoves(moves: readonly Move[]): string {
  return moves.map(({ ip, node }) => `${ip}=${node}`).join(',');
}

/** `ip/length`, separated by commas. Written by the allocator; what cannot be read is passed over. */
export function parseAllocatedPrefixes(text: string): readonly Prefix[] {
  return partsOf(text).flatMap((part) => {
    const prefix = parsePrefix(part);
    return isProblem(prefix) ? [] : [prefix.value];
  });
}

export function encodeAllocatedPrefixes(prefixes: readonly Prefix[]): string {
  return prefixes.map(formatPrefix).join(',');
}

/** More than any Service has; the rest of a hostile text is not taken apart. */
const mostParts = 64;

function partsOf(text: string): readonly string[] {
  const parts = text.split(',', mostParts).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

function parseWish(text: string, path: string): Parsed<Ip> {
  const ip = parseIp(text, path);
  if (isProblem(ip) || !isIpv4Mapped(ip.value)) return ip;
  return problem(path, `"${text}" is IPv4 written as IPv6: write ${unmapIpv4(ip.value)}`);
}

function parseMove(text: string, path: string): Parsed<Move> {
  const [address = '', node = '', ...rest] = text.split('=').map((part) => part.trim());
  if (node === '' || rest.length > 0) {
    return problem(path, `"${abbreviate(text)}" is not a move: write it like 192.0.2.7=node2`);
  }
  const ip = parseWish(address, path);
  return isProblem(ip) ? ip : { value: { ip: ip.value, node } };
}

function collect<T>(parts: readonly Parsed<T>[]): Parsed<readonly T[]> {
  const problems = problemsOf(...parts);
  if (problems.length > 0) return { problems };
  return { value: parts.flatMap((part) => (isProblem(part) ? [] : [part.value])) };
}
