/** `ip()` and `cidr()` of the expressions that Kubernetes adds to CEL. */

import { familyOf, type Ip, isIpv4Mapped, parseIp } from '../../../src/model/ip.ts';
import { isProblem } from '../../../src/model/parsed.ts';
import {
  formatPrefix,
  networkOf,
  type Prefix,
  parsePrefix,
  prefixContains,
} from '../../../src/model/prefix.ts';

export class CelIp {
  readonly ip: Ip;

  constructor(ip: Ip) {
    this.ip = ip;
  }
}

export class CelCidr {
  readonly prefix: Prefix;

  constructor(prefix: Prefix) {
    this.prefix = prefix;
  }
}

/** Undefined where `isIP` says no: an IPv4 address in IPv6 clothes is none. */
export function readIp(text: string): CelIp | undefined {
  const ip = parseIp(text);
  return isProblem(ip) || isIpv4Mapped(ip.value) ? undefined : new CelIp(ip.value);
}

export function readCidr(text: string): CelCidr | undefined {
  const prefix = parsePrefix(text);
  if (isProblem(prefix) || isIpv4Mapped(prefix.value.ip)) return undefined;
  return new CelCidr(prefix.value);
}

export function mustIp(text: string): CelIp {
  const ip = readIp(text);
  if (ip === undefined) throw new Error(`IP Address ${JSON.stringify(text)} parse error`);
  return ip;
}

export function mustCidr(text: string): CelCidr {
  const cidr = readCidr(text);
  if (cidr === undefined) throw new Error(`network address parse error: ${JSON.stringify(text)}`);
  return cidr;
}

export function familyNumber({ ip }: CelIp): bigint {
  return familyOf(ip) === 'ipv4' ? 4n : 6n;
}

export function containsIp({ prefix }: CelCidr, { ip }: CelIp): boolean {
  return prefixContains(prefix, ip);
}

export function containsCidr({ prefix }: CelCidr, other: CelCidr): boolean {
  return other.prefix.length >= prefix.length && prefixContains(prefix, other.prefix.ip);
}

export function masked({ prefix }: CelCidr): CelCidr {
  return new CelCidr(networkOf(prefix));
}

export function cidrText({ prefix }: CelCidr): string {
  return formatPrefix(prefix);
}

const isLoopback = (ip: string) => ip.startsWith('127.') || ip === '::1';
const isLinkLocal = (ip: string) => ip.startsWith('169.254.') || /^fe[89ab]/.test(ip);
const isMulticast = (ip: string) =>
  ip.startsWith('ff') || (/^\d+\./.test(ip) && (Number.parseInt(ip, 10) & 0xf0) === 224);
const isUnspecified = (ip: string) => ip === '0.0.0.0' || ip === '::';

export const ipPredicates: Readonly<Record<string, (ip: CelIp) => boolean>> = {
  isLoopback: ({ ip }) => isLoopback(ip),
  isUnspecified: ({ ip }) => isUnspecified(ip),
  isLinkLocalUnicast: ({ ip }) => isLinkLocal(ip),
  isLinkLocalMulticast: ({ ip }) => ip.startsWith('224.0.0.') || /^ff[0-9a-f]2:/.test(ip),
  isGlobalUnicast: ({ ip }) =>
    ![isLoopback, isLinkLocal, isMulticast, isUnspecified].some((is) => is(ip)) &&
    ip !== '255.255.255.255',
};
