import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { survivesHostileInput } from '../hostile-input.fixture.ts';
import { decodeMessages } from '../netlink-message.ts';
import { sent, told } from './nft-frames.fixture.ts';
import {
  decodeGeneration,
  decodeTable,
  encodeBatchMark,
  encodeGenerationQuery,
  encodeTable,
  encodeTableName,
  NFNL_MSG_BATCH_BEGIN,
  NFNL_MSG_BATCH_END,
  NftMessage,
} from './nft-message.ts';

function only(frame: Uint8Array) {
  return decodeMessages(frame)[0] ?? assert.fail('no message');
}

test('a transaction begins and ends as nft’s does', () => {
  for (const [frame, type] of [
    [sent.begin, NFNL_MSG_BATCH_BEGIN],
    [sent.end, NFNL_MSG_BATCH_END],
  ] as const) {
    assert.equal(only(frame).type, type);
    assert.deepEqual(encodeBatchMark(), only(frame).body);
  }
});

test('a table is made as nft makes it, and read as the kernel tells of it', () => {
  const table = { name: 'purelb', flags: 0 };
  assert.equal(only(sent.table).type, NftMessage.newTable);
  assert.deepEqual(encodeTable(table), only(sent.table).body);
  assert.deepEqual(decodeTable(only(told.table).body), table);
});

test('a table is named by its name alone', () => {
  const text = '010000000b000100707572656c620000';
  assert.equal(Buffer.from(encodeTableName('purelb')).toString('hex'), text);
});

test('the number of the generation is read', () => {
  assert.equal(decodeGeneration(only(told.generation).body), 2);
  assert.equal(encodeGenerationQuery().length, 4);
});

test('any table survives encoding and decoding', () => {
  const name = fc.string({ unit: fc.constantFrom(...'purelb-ü'), maxLength: 20 });
  const flags = fc.integer({ min: 0, max: 0xffffffff });
  fc.assert(
    fc.property(name, flags, (...[text, number]) => {
      const table = { name: text, flags: number };
      assert.deepEqual(decodeTable(encodeTable(table)), table);
    }),
  );
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(decodeTable, [only(told.table).body]);
  survivesHostileInput(decodeGeneration, [only(told.generation).body]);
});
