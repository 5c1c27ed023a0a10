import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { WireError } from './wire-error.ts';

test('reads numbers of either byte order front to back', () => {
  const reader = new ByteReader(
    Uint8Array.of(1, 1, 2, 1, 2, 3, 4, 2, 1, 4, 3, 2, 1, 0xfe, 0xff, 0xff, 0xff),
    'packet',
  );
  assert.deepEqual(
    [reader.u8(), reader.u16be(), reader.u32be(), reader.u16le(), reader.u32le(), reader.i32le()],
    [1, 0x0102, 0x01020304, 0x0102, 0x01020304, -2],
  );
  assert.equal(reader.remaining, 0);
});

test('reads 32 bits without a sign', () => {
  const bytes = new Uint8Array(8).fill(0xff);
  const reader = new ByteReader(bytes, 'packet');
  assert.deepEqual([reader.u32be(), reader.u32le()], [0xffffffff, 0xffffffff]);
});

test('a short packet throws an error that names it, the place and what is missing', () => {
  const reader = new ByteReader(Uint8Array.of(1, 2, 3), 'ARP packet');
  reader.u16be();
  assert.throws(() => reader.u32be(), {
    name: 'WireError',
    code: 'WIRE_TRUNCATED',
    message: 'ARP packet: 4 bytes wanted at offset 2, 1 left',
  });
  assert.equal(reader.u8(), 3, 'a failed read consumes nothing');
});

test('bytes are a view of the packet', () => {
  const packet = Uint8Array.of(9, 1, 2, 3);
  const reader = new ByteReader(packet, 'packet');
  reader.skip(1);
  const two = reader.bytes(2);
  packet[1] = 7;
  assert.deepEqual([...two, ...reader.rest()], [7, 2, 3]);
  assert.equal(reader.offset, 4);
});

test('a view into a larger buffer is read from its own start', () => {
  const reader = new ByteReader(Uint8Array.of(0, 0, 5, 6).subarray(2), 'packet');
  assert.deepEqual([reader.remaining, reader.u16be()], [2, 0x0506]);
});

test('negative lengths are refused', () => {
  const reader = new ByteReader(Uint8Array.of(1, 2, 3, 4), 'packet');
  reader.skip(2);
  assert.throws(() => reader.skip(-1), WireError);
  assert.throws(() => reader.bytes(-1), WireError);
});

test('reads back whatever was written', () => {
  const numbers = fc.record({
    u8: fc.integer({ min: 0, max: 0xff }),
    u16: fc.integer({ min: 0, max: 0xffff }),
    u32: fc.integer({ min: 0, max: 0xffffffff }),
    bytes: fc.uint8Array({ maxLength: 600 }),
  });
  fc.assert(
    fc.property(numbers, ({ u8, u16, u32, bytes }) => {
      const writer = new ByteWriter(1).u8(u8).u16be(u16).u16le(u16).u32be(u32).u32le(u32);
      const reader = new ByteReader(writer.bytes(bytes).finish(), 'packet');
      assert.deepEqual(
        [reader.u8(), reader.u16be(), reader.u16le(), reader.u32be(), reader.u32le()],
        [u8, u16, u16, u32, u32],
      );
      assert.deepEqual(reader.rest(), bytes);
    }),
  );
});
