import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bool,
  bytes,
  int32,
  int64,
  message,
  nested,
  optional,
  repeated,
  string,
  stringMap,
  strings,
  uint32,
  uint32s,
  uint64,
} from './protobuf.ts';
import { ProtobufError } from './protobuf-wire.ts';

const inner = message({ name: string(1), value: uint32(2) });
const all = message({
  flag: bool(1),
  small: uint32(2),
  signed: int32(3),
  large: uint64(4),
  deep: int64(5),
  text: string(6),
  raw: bytes(7),
  one: nested(8, inner),
  many: repeated(9, inner),
  words: strings(10),
  numbers: uint32s(11),
  labels: stringMap(12),
  maybe: optional(uint32(300)),
});
const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

const anyInner = fc.record(
  { name: fc.string(), value: fc.integer({ min: 0, max: 2 ** 32 - 1 }) },
  { noNullPrototype: true },
);
const anyFields = {
  flag: fc.boolean(),
  small: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  signed: fc.integer(),
  large: fc.maxSafeNat(),
  deep: fc.maxSafeInteger(),
  text: fc.string({ unit: 'binary' }),
  raw: fc.uint8Array(),
  one: fc.option(anyInner, { nil: undefined }),
  many: fc.array(anyInner),
  words: fc.array(fc.string()),
  numbers: fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  labels: fc.array(fc.tuple(fc.string(), fc.string())).map((entries) => new Map(entries)),
  maybe: fc.option(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { nil: undefined }),
};
const anyAll = fc.record(anyFields, { noNullPrototype: true });

test('what was encoded is decoded to the same', () => {
  fc.assert(
    fc.property(anyAll, (value) => {
      assert.deepEqual(all.decode(all.encode(value)), value);
    }),
  );
});

test('any bytes at all decode, or throw a ProtobufError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      try {
        all.decode(noise);
      } catch (error) {
        assert.ok(error instanceof ProtobufError, String(error));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a message that was cut anywhere decodes, or throws a ProtobufError', () => {
  fc.assert(
    fc.property(anyAll, fc.nat(), (value, cut) => {
      const whole = all.encode(value);
      try {
        all.decode(whole.subarray(0, cut % (whole.length + 1)));
      } catch (error) {
        assert.ok(error instanceof ProtobufError, String(error));
      }
    }),
  );
});

test('the bytes are those of the documentation of Protocol Buffers', () => {
  const numbered = message({ a: int32(1), b: string(2), c: nested(3, inner), f: uint32s(6) });
  assert.deepEqual(numbered.encode({ a: 150 }), hex('08 96 01'));
  assert.deepEqual(numbered.encode({ b: 'testing' }), hex('12 07 74 65 73 74 69 6e 67'));
  assert.deepEqual(numbered.encode({ f: [3, 270, 86942] }), hex('32 06 03 8e 02 9e a7 05'));
  assert.deepEqual(numbered.encode({ a: -2 }), hex('08 fe ff ff ff ff ff ff ff ff 01'));
  assert.equal(numbered.decode(hex('08 fe ff ff ff ff ff ff ff ff 01')).a, -2);
  assert.deepEqual(numbered.encode({ c: {} }), hex('1a 00'));
});

test('defaults are not sent, and are what is not there', () => {
  const value = { flag: false, small: 0, text: '', raw: new Uint8Array(), many: [], words: [] };
  assert.deepEqual(all.encode(value), new Uint8Array());
  const { one, many, text, large, maybe } = all.decode(new Uint8Array());
  assert.deepEqual([one, many, text, large, maybe], [undefined, [], '', 0, undefined]);
});

test('a default that was sent is told from none where presence counts', () => {
  const type = message({ number: optional(uint32(1)), text: optional(string(2)) });
  assert.deepEqual(type.encode({ number: 0, text: '' }), hex('08 00 12 00'));
  assert.deepEqual(type.decode(hex('08 00 12 00')), { number: 0, text: '' });
  assert.deepEqual(type.decode(hex('')), { number: undefined, text: undefined });
});

test('fields that nobody knows are passed over, whatever their kind', () => {
  const unknown = 'f8 06 05 f9 06 0102030405060708 fa 06 02 aabb fd 06 01020304';
  assert.deepEqual(inner.decode(hex(`${unknown} 10 07`)), { name: '', value: 7 });
  assert.throws(() => inner.decode(hex('fb 06')), /unknown wire type 3/);
});

test('numbers that are sent one by one are taken like packed ones', () => {
  const type = message({ numbers: uint32s(6) });
  assert.deepEqual(type.decode(hex('30 03 32 02 8e 02 30 07')).numbers, [3, 270, 7]);
});

test('a number that is none of the wire is refused before it is sent', () => {
  assert.throws(() => inner.encode({ value: 1.5 }), RangeError);
});
