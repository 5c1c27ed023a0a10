import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipFromBytes, ipOf } from '../model/ip.ts';
import { decodeHint, encodeHint, type Hint } from './hint.ts';
import { WireError } from './wire-error.ts';

const bytesOf = (...parts: readonly (string | number)[]) =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === 'number' ? [part] : [...part].map((letter) => letter.charCodeAt(0)),
    ),
  );

test('a hint is what it says behind a short header', () => {
  assert.deepEqual(
    encodeHint({ kind: 'silent', holder: 'node1' }),
    bytesOf('PLBH', 1, 1, 5, 'node1'),
  );
  assert.deepEqual(
    encodeHint({ kind: 'question', ip: ipOf('192.0.2.100'), number: 0x0102_0304_0506 }),
    bytesOf('PLBH', 1, 2, 1, 2, 3, 4, 5, 6, 4, 192, 0, 2, 100),
  );
  assert.deepEqual(
    encodeHint({ kind: 'orphan', holder: 'a', ip: ipOf('192.0.2.100') }),
    bytesOf('PLBH', 1, 4, 1, 'a', 4, 192, 0, 2, 100),
  );
  assert.deepEqual(
    encodeHint({ kind: 'denial', number: 0x0102_0304_0506, ip: undefined }),
    bytesOf('PLBH', 1, 3, 1, 2, 3, 4, 5, 6),
  );
});

test('what is encoded is decoded to the same', () => {
  const name = fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,60}[a-z0-9])?$/);
  const number = fc.nat(2 ** 48 - 1);
  const ip = fc
    .constantFrom(4, 16)
    .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))
    .map(ipFromBytes);
  const hint: fc.Arbitrary<Hint> = fc.oneof(
    name.map((holder) => ({ kind: 'silent', holder }) as const),
    fc.record({ kind: fc.constant('orphan' as const), holder: name, ip }),
    fc.record({ kind: fc.constant('question' as const), ip, number }),
    fc.record({ kind: fc.constant('denial' as const), number, ip: fc.constant(undefined) }),
  );
  fc.assert(
    fc.property(hint, (one) => {
      assert.deepEqual(decodeHint(encodeHint(one)), { ...one });
    }),
  );
});

test('other versions and kinds are passed over', () => {
  assert.equal(decodeHint(bytesOf('PLBH', 2, 1, 5, 'node1')), undefined);
  assert.equal(decodeHint(bytesOf('PLBH', 1, 9, 0)), undefined);
});

test('any bytes are a hint, passed over, or a WireError', () => {
  const start = fc.constantFrom(bytesOf(), ...[1, 2, 3, 4].map((kind) => bytesOf('PLBH', 1, kind)));
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 300 }), (header, bytes) => {
      try {
        decodeHint(Uint8Array.from([...header, ...bytes]));
      } catch (error) {
        assert.ok(error instanceof WireError);
      }
    }),
  );
  for (const name of ['', 'Node1', 'a\nb', '-a']) {
    assert.throws(() => decodeHint(bytesOf('PLBH', 1, 1, name.length, name)), WireError);
  }
  assert.throws(() => decodeHint(bytesOf('PLBH', 1, 1, 1, 'ab')), /more than there should be/);
  assert.throws(() => decodeHint(bytesOf('PLBH', 1, 2, 0, 0, 0, 0, 0, 1, 1, 7)), /not an address/);
});

test('what is no name is not sent', () => {
  assert.throws(() => encodeHint({ kind: 'silent', holder: '' }), RangeError);
  assert.throws(() => encodeHint({ kind: 'silent', holder: 'a'.repeat(254) }), RangeError);
});

test('nobody affirms anything without a signature', () => {
  const ip = ipOf('192.0.2.100');
  assert.throws(() => encodeHint({ kind: 'affirmation', ip, number: 1, isSure: true }), /signed/);
  assert.equal(decodeHint(bytesOf('PLBH', 1, 5, 0, 0, 0, 0, 0, 1, 4, 192, 0, 2, 100)), undefined);
});
