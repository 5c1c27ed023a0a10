import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from './byte-writer.ts';

test('writes numbers of either byte order front to back', () => {
  const writer = new ByteWriter().u8(1).u16be(0x0203).u16le(0x0302).u32be(0x04050607);
  writer.u32le(0x07060504).bytes(Uint8Array.of(8, 9)).zeros(2);
  assert.deepEqual([...writer.finish()], [1, 2, 3, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 0, 0]);
  assert.equal(writer.length, 17);
});

test('grows beyond its capacity and keeps what it has', () => {
  const writer = new ByteWriter(2).u16be(0x0102);
  writer.bytes(new Uint8Array(1000).fill(7)).u8(3);
  const bytes = writer.finish();
  assert.deepEqual(
    [bytes.length, bytes[0], bytes[1], bytes[1001], bytes[1002]],
    [1003, 1, 2, 7, 3],
  );
});

test('grows from no capacity at all', () => {
  assert.deepEqual([...new ByteWriter(0).u8(1).u8(2).finish()], [1, 2]);
});

test('zeros are zeros also where an earlier packet was', () => {
  const writer = new ByteWriter().bytes(new Uint8Array(8).fill(0xff)).reset();
  assert.deepEqual([...writer.zeros(4).written()], [0, 0, 0, 0]);
});

test('patches a place that was left open', () => {
  const writer = new ByteWriter().u16be(0).u16be(0).u32be(0);
  writer.patchU16be(0, 0x0102);
  writer.patchU16le(2, 0x0102);
  writer.patchU32le(4, 0x01020304);
  assert.deepEqual([...writer.written()], [1, 2, 2, 1, 4, 3, 2, 1]);
});

test('what was finished is a copy, what was written a view', () => {
  const writer = new ByteWriter().u8(1);
  const copy = writer.finish();
  const view = writer.written();
  writer.reset().u8(2);
  assert.deepEqual([copy[0], view[0]], [1, 2]);
});
