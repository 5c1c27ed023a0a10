import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../byte-writer.ts';
import { putNested, putString } from '../netlink-attributes.ts';
import { NftAttributes, putNumber } from './nft-attributes.ts';

function attributesOf(fill: (writer: ByteWriter) => void): NftAttributes {
  const writer = new ByteWriter();
  fill(writer);
  return new NftAttributes(writer.finish(), 0, 'thing');
}

test('numbers are in network byte order', () => {
  const writer = new ByteWriter();
  putNumber(writer, 7, -3);
  assert.deepEqual([...writer.finish()], [8, 0, 7, 0, 0xff, 0xff, 0xff, 0xfd]);
  assert.equal(attributesOf((into) => putNumber(into, 7, 258)).number(7), 258);
});

test('texts, nests and what is absent are told apart', () => {
  const attributes = attributesOf((writer) => {
    putString(writer, 1, 'purelb');
    putNested(writer, 2, () => putNumber(writer, 1, 80));
  });
  assert.equal(attributes.text(1), 'purelb');
  assert.equal(attributes.nested(2).number(1), 80);
  assert.deepEqual([attributes.has(2), attributes.has(3)], [true, false]);
});

test('what is missing or no number is malformed', () => {
  const attributes = attributesOf((writer) => putString(writer, 1, 'purelb'));
  assert.throws(() => attributes.bytes(4), {
    code: 'WIRE_MALFORMED',
    message: 'thing: attribute 4 is missing',
  });
  assert.throws(() => attributes.number(1), {
    code: 'WIRE_MALFORMED',
    message: 'thing: attribute 1 has 7 bytes instead of 4',
  });
});
