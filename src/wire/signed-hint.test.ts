import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipFromBytes, ipOf } from '../model/ip.ts';
import type { Hint } from './hint.ts';
import { survivesHostileInput } from './hostile-input.fixture.ts';
import {
  decodeSignedHint,
  encodeSignedHint,
  longestHint,
  macLength,
  peekSigned,
  type SignedHint,
  splitSigned,
} from './signed-hint.ts';
import { WireError } from './wire-error.ts';

const key = Uint8Array.from({ length: 32 }, (_, index) => index);
const sign = (bytes: Uint8Array) =>
  createHmac('sha256', key).update(bytes).digest().subarray(0, macLength);

const ip = ipOf('192.0.2.100');
const header = {
  keyId: 0x0a0b_0c0d,
  session: 0x0102_0304_0506,
  sequence: 7,
  sender: 'node1',
  receiver: ipOf('192.0.2.12'),
} as const;

const start = '504c4248 02';
const middle = '0a0b0c0d 010203040506 000000000007 05 6e6f646531 04 c000020c';

/** The MACs are those of HMAC-SHA256 with the key 00 01 … 1f, cut to 16 bytes. */
const vectors: readonly (readonly [Hint, string, string])[] = [
  [{ kind: 'silent', holder: 'a' }, '01', '01 61'],
  [{ kind: 'question', ip, number: 258 }, '02', '000000000102 04 c0000264'],
  [{ kind: 'denial', ip, number: 258 }, '03', '000000000102 04 c0000264'],
  [{ kind: 'orphan', holder: 'a', ip }, '04', '01 61 04 c0000264'],
  [{ kind: 'affirmation', ip, number: 258, isSure: true }, '05', '000000000102 04 c0000264 01'],
  [
    { kind: 'affirmation', ip: ipOf('2001:db8::100'), number: 0, isSure: false },
    '05',
    '000000000000 10 20010db8000000000000000000000100 00',
  ],
];

for (const [hint, kind, body] of vectors) {
  test(`${hint.kind}: the bytes are those of the table, both ways`, () => {
    const signed = Buffer.from(`${start}${kind}${middle}${body}`.replaceAll(' ', ''), 'hex');
    const bytes = Uint8Array.from([...signed, ...sign(signed)]);
    assert.deepEqual(encodeSignedHint({ ...header, hint }, sign), bytes);
    assert.deepEqual(decodeSignedHint(bytes), { ...header, hint });
    assert.deepEqual(peekSigned(bytes), { keyId: header.keyId, session: header.session });
    assert.deepEqual(Buffer.from(splitSigned(bytes).signed), signed);
  });
}

test('one MAC, as openssl makes it', () => {
  const bytes = encodeSignedHint({ ...header, hint: { kind: 'silent', holder: 'a' } }, sign);
  const { mac } = splitSigned(bytes);
  assert.equal(Buffer.from(mac).toString('hex'), '4424dd1e3b90a45d3e0e8cd2c316f4ea');
});

const name = fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/);
const u48 = fc.nat(2 ** 48 - 1);
const anyIp = fc
  .constantFrom(4, 16)
  .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))
  .map(ipFromBytes);
const anyHint: fc.Arbitrary<Hint> = fc.oneof(
  name.map((holder) => ({ kind: 'silent', holder }) as const),
  fc.record({ kind: fc.constant('orphan' as const), holder: name, ip: anyIp }),
  fc.record({
    kind: fc.constantFrom('question' as const, 'denial' as const),
    ip: anyIp,
    number: u48,
  }),
  fc.record({
    kind: fc.constant('affirmation' as const),
    ip: anyIp,
    number: u48,
    isSure: fc.boolean(),
  }),
);
const anySigned: fc.Arbitrary<SignedHint> = fc.record({
  keyId: fc.nat(2 ** 32 - 1),
  session: u48,
  sequence: u48,
  sender: name,
  receiver: anyIp,
  hint: anyHint,
});

test('what is encoded is decoded to the same, and is never too long', () => {
  fc.assert(
    fc.property(anySigned, (one) => {
      const bytes = encodeSignedHint(one, sign);
      assert.ok(bytes.length <= longestHint);
      assert.deepEqual(decodeSignedHint(bytes), { ...one, hint: { ...one.hint } });
    }),
  );
});

test('every bit before the MAC counts for the MAC', () => {
  const hint = { kind: 'affirmation', ip, number: 1, isSure: true } as const;
  const bytes = encodeSignedHint({ ...header, hint }, sign);
  for (let bit = 0; bit < (bytes.length - macLength) * 8; bit++) {
    const changed = bytes.slice();
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const { signed, mac } = splitSigned(changed);
    assert.notDeepEqual(Buffer.from(sign(signed)), Buffer.from(mac));
  }
});

test('any bytes are a hint, passed over, or a WireError', () => {
  survivesHostileInput(
    decodeSignedHint,
    vectors.map(([hint]) => encodeSignedHint({ ...header, hint }, sign)),
  );
  assert.throws(() => decodeSignedHint(new Uint8Array(longestHint + 1)), WireError);
  const unknown = encodeSignedHint({ ...header, hint: { kind: 'silent', holder: 'a' } }, sign);
  unknown[5] = 9;
  assert.equal(decodeSignedHint(unknown), undefined);
});

test('what cannot be said is not sent', () => {
  const denial = { kind: 'denial', number: 1, ip: undefined } as const;
  assert.throws(() => encodeSignedHint({ ...header, hint: denial }, sign), RangeError);
  const hint = { kind: 'silent', holder: 'a' } as const;
  assert.throws(() => encodeSignedHint({ ...header, hint }, () => new Uint8Array(8)), RangeError);
});
