import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeHint, encodeHint } from './hint.ts';
import { WireError } from './wire-error.ts';

const bytesOf = (...parts: readonly (string | number)[]) =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === 'number' ? [part] : [...part].map((letter) => letter.charCodeAt(0)),
    ),
  );

test('a hint is its name behind a short header', () => {
  assert.deepEqual(
    encodeHint({ kind: 'silent', holder: 'node1' }),
    bytesOf('PLBH', 1, 1, 5, 'node1'),
  );
});

test('what is encoded is decoded to the same', () => {
  const name = fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,60}[a-z0-9])?$/);
  fc.assert(
    fc.property(name, (holder) => {
      assert.deepEqual(decodeHint(encodeHint({ kind: 'silent', holder })), {
        kind: 'silent',
        holder,
      });
    }),
  );
});

test('other versions and kinds are passed over', () => {
  assert.equal(decodeHint(bytesOf('PLBH', 2, 1, 5, 'node1')), undefined);
  assert.equal(decodeHint(bytesOf('PLBH', 1, 9, 0)), undefined);
});

test('any bytes are a hint, passed over, or a WireError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isOurs) => {
      const packet = isOurs ? Uint8Array.from([...bytesOf('PLBH', 1, 1), ...bytes]) : bytes;
      try {
        decodeHint(packet);
      } catch (error) {
        assert.ok(error instanceof WireError);
      }
    }),
  );
  for (const name of ['', 'Node1', 'a\nb', '-a']) {
    assert.throws(() => decodeHint(bytesOf('PLBH', 1, 1, name.length, name)), WireError);
  }
  assert.throws(() => decodeHint(bytesOf('PLBH', 1, 1, 1, 'ab')), /more than there should be/);
});

test('what is no name is not sent', () => {
  assert.throws(() => encodeHint({ kind: 'silent', holder: '' }), RangeError);
  assert.throws(() => encodeHint({ kind: 'silent', holder: 'a'.repeat(254) }), RangeError);
});
