import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { macOf } from '../model/mac.ts';
import { assertThrowsOnlyWireErrors, macs, record } from './arbitrary-frames.fixture.ts';
import { bytesOf } from './captured-frames.fixture.ts';
import { decodeNdpOptions, encodeNdpOptions, type NdpOption } from './ndp-option.ts';

const others = fc
  .tuple(fc.integer({ min: 3, max: 255 }), fc.integer({ min: 1, max: 4 }))
  .chain(([type, words]) =>
    record({
      kind: fc.constant('other' as const),
      type: fc.constant(type),
      value: fc.uint8Array({ minLength: words * 8 - 2, maxLength: words * 8 - 2 }),
    }),
  );
const options: fc.Arbitrary<NdpOption> = fc.oneof(
  record({ kind: fc.constantFrom('source-mac' as const, 'target-mac' as const), mac: macs }),
  others,
);

test('options decode to what was encoded, in order', () => {
  fc.assert(
    fc.property(fc.array(options, { maxLength: 5 }), (list) => {
      assert.deepEqual(decodeNdpOptions(encodeNdpOptions(list)), list);
    }),
  );
});

test('options not understood survive, such as a nonce', () => {
  const bytes = bytesOf('0101 02005e100001 0e01 3320f66fc248 0102 000000000000 0000000000000000');
  const decoded = decodeNdpOptions(bytes);
  assert.deepEqual(decoded, [
    { kind: 'source-mac', mac: macOf('02:00:5e:10:00:01') },
    { kind: 'other', type: 14, value: bytesOf('3320f66fc248') },
    { kind: 'other', type: 1, value: new Uint8Array(14) },
  ]);
  assert.deepEqual(encodeNdpOptions(decoded), bytes);
});

test('an option of length 0 is malformed (RFC 4861 4.6)', () => {
  assert.throws(
    () => decodeNdpOptions(bytesOf('0100 02005e100001')),
    /^WireError: NDP option 1 of length 0$/,
  );
});

test('an option longer than the rest is refused', () => {
  assert.throws(() => decodeNdpOptions(bytesOf('01')), /NDP options: 1 bytes wanted/);
  assert.throws(
    () => decodeNdpOptions(bytesOf('0102 02005e100001')),
    /NDP options: 14 bytes wanted/,
  );
});

test('a value that does not fill multiples of eight bytes is a bug of the caller', () => {
  const value = new Uint8Array(5);
  assert.throws(() => encodeNdpOptions([{ kind: 'other', type: 9, value }]), RangeError);
});

test('any bytes decode or throw a WireError', () => {
  assertThrowsOnlyWireErrors(decodeNdpOptions);
});
