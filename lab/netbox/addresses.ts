/** Addresses as Netbox keeps them: a host with a mask. */

import { type Ip, ipFromBigInt, ipToBigInt, parseIp } from '../../src/model/ip.ts';
import { isProblem } from '../../src/model/parsed.ts';

export interface Masked {
  readonly ip: Ip;
  readonly value: bigint;
  readonly length: number;
  readonly version: 4 | 6;
}

export function bitsOf(version: 4 | 6): number {
  return version === 4 ? 32 : 128;
}

/** Undefined: no address. Without a mask it is one of a host. */
export function readMasked(text: string): Masked | undefined {
  const [host = '', mask, more] = text.split('/');
  const parsed = parseIp(host);
  if (isProblem(parsed) || more !== undefined) return undefined;
  const ip = parsed.value;
  const version = ip.includes(':') ? 6 : 4;
  const length = mask === undefined ? bitsOf(version) : Number(mask);
  if (!/^\d+$/.test(mask ?? '0') || length > bitsOf(version)) return undefined;
  return { ip, value: ipToBigInt(ip), length, version };
}

export function formatMasked({ ip, length }: Masked): string {
  return `${ip}/${length}`;
}

export function maskedOf(version: 4 | 6, value: bigint, length: number): Masked {
  return { ip: ipFromBigInt(version === 4 ? 'ipv4' : 'ipv6', value), value, length, version };
}

/** First and last address of a network. */
export function spanOf({ value, length, version }: Masked): readonly [bigint, bigint] {
  const size = 1n << BigInt(bitsOf(version) - length);
  const first = value - (value % size);
  return [first, first + size - 1n];
}

export function compareMasked(left: Masked, right: Masked): number {
  if (left.version !== right.version) return left.version - right.version;
  if (left.value !== right.value) return left.value < right.value ? -1 : 1;
  return left.length - right.length;
}
