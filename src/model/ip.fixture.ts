/** Arbitrary addresses, prefixes and ranges for property tests, of both families alike. */

import fc from 'fast-check';
import { addressBits, type Family, type Ip, ipFromBigInt, isIpv4Mapped } from './ip.ts';
import type { Prefix } from './prefix.ts';
import type { Range } from './range.ts';

export const families: readonly Family[] = ['ipv4', 'ipv6'];
export const anyFamily = fc.constantFrom(...families);

/** Half of them made of groups that are often zero, where the text forms differ most. */
export function valuesOf(family: Family): fc.Arbitrary<bigint> {
  const groups = addressBits[family] / 16;
  const group = fc.oneof(fc.constant(0), fc.constant(0xffff), fc.nat(0xffff));
  const patchy = fc
    .array(group, { minLength: groups, maxLength: groups })
    .map((parts) => parts.reduce((value, part) => (value << 16n) | BigInt(part), 0n));
  return fc.oneof(patchy, fc.bigInt({ min: 0n, max: (1n << BigInt(addressBits[family])) - 1n }));
}

export function ipsOf(family: Family): fc.Arbitrary<Ip> {
  return valuesOf(family).map((value) => ipFromBigInt(family, value));
}

export const anyIp: fc.Arbitrary<Ip> = anyFamily.chain(ipsOf);

export function prefixesOf(family: Family): fc.Arbitrary<Prefix> {
  const length = fc.nat(addressBits[family]);
  return fc.record({ ip: ipsOf(family), length }, { noNullPrototype: true });
}

export const anyPrefix: fc.Arbitrary<Prefix> = anyFamily.chain(prefixesOf);

export function rangesOf(family: Family): fc.Arbitrary<Range> {
  const value = valuesOf(family).filter((number) => !isIpv4Mapped(ipFromBigInt(family, number)));
  return fc
    .tuple(value, value)
    .map(([one, other]) =>
      one <= other ? { family, first: one, last: other } : { family, first: other, last: one },
    );
}

export const anyRange: fc.Arbitrary<Range> = anyFamily.chain(rangesOf);

/** Any text at all, and text made of the characters that addresses are made of. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'0129afAF:.%/- ::'), maxLength: 60 }),
);
