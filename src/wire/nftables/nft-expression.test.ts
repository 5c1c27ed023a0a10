import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../byte-writer.ts';
import { putNested, putString } from '../netlink-attributes.ts';
import { putNumber } from './nft-attributes.ts';
import { decodeExpression, type NftExpression, putExpression } from './nft-expression.ts';

function encode(expression: NftExpression): Uint8Array {
  const writer = new ByteWriter();
  putExpression(writer, expression);
  return writer.finish();
}

/** With attributes that our own expressions never have. */
function foreign(name: string, ...numbers: readonly (readonly [number, number])[]): NftExpression {
  const writer = new ByteWriter();
  putString(writer, 1, name);
  putNested(writer, 2, () => {
    for (const [type, value] of numbers) putNumber(writer, type, value);
  });
  return decodeExpression(writer.finish());
}

const number = fc.integer({ min: 0, max: 0xffffffff });
const value = fc.uint8Array({ maxLength: 16 });
const name = fc.string({ unit: fc.constantFrom(...'ports46'), maxLength: 10 });
const plain = { noNullPrototype: true } as const;
const expression: fc.Arbitrary<NftExpression> = fc.oneof(
  fc.record({ kind: fc.constantFrom('meta', 'ct'), key: number, register: number }, plain),
  fc.record(
    {
      kind: fc.constant('payload'),
      register: number,
      base: number,
      offset: number,
      length: number,
    },
    plain,
  ),
  fc.record({ kind: fc.constant('cmp'), register: number, operator: number, value }, plain),
  fc.record(
    {
      kind: fc.constant('bitwise'),
      source: number,
      register: number,
      length: number,
      mask: value,
      xor: value,
    },
    plain,
  ),
  fc.record({ kind: fc.constant('lookup'), register: number, set: name }, plain),
  fc.constant({ kind: 'counter' } as const),
  fc.record(
    {
      kind: fc.constant('immediate'),
      verdict: fc.record(
        { code: fc.integer({ min: -9, max: 9 }), chain: name },
        { requiredKeys: ['code'], ...plain },
      ),
    },
    plain,
  ),
);

test('any expression survives encoding and decoding', () => {
  fc.assert(fc.property(expression, (one) => assert.deepEqual(decodeExpression(encode(one)), one)));
});

test('what nobody here understands is kept as it came', () => {
  const limit = { kind: 'other', name: 'limit', data: Uint8Array.of(8, 0, 1, 0, 0, 0, 0, 9) };
  assert.deepEqual(decodeExpression(encode(limit as NftExpression)), limit);
});

test('an expression of ours with a twist is another one', () => {
  const kinds = [
    // What is not in the set.
    foreign('lookup', [1, 0], [2, 1], [5, 1]),
    // A shift.
    foreign('bitwise', [1, 1], [2, 1], [3, 4], [4, 0], [5, 0], [6, 1]),
    // Sets the packet's mark.
    foreign('meta', [2, 3], [3, 1]),
    // Of one direction only.
    foreign('ct', [1, 1], [2, 0], [3, 1]),
  ].map(({ kind }) => kind);
  assert.deepEqual(kinds, ['other', 'other', 'other', 'other']);
});

test('what a counter has counted makes it no other', () => {
  assert.deepEqual(foreign('counter', [1, 7], [2, 9]), { kind: 'counter' });
});
