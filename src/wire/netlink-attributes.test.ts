import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf } from '../model/ip.ts';
import { ByteWriter } from './byte-writer.ts';
import { survivesHostileInput } from './hostile-input.fixture.ts';
import {
  AttributeReader,
  putAttribute,
  putIp,
  putNested,
  putString,
  putU8,
  putU32,
  type RawAttribute,
} from './netlink-attributes.ts';
import { frames } from './netlink-frames.fixture.ts';
import { decodeMessages } from './netlink-message.ts';

function written(fill: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter();
  fill(writer);
  return writer.finish();
}

function first(bytes: Uint8Array): AttributeReader {
  const reader = new AttributeReader(bytes, 0, 'message');
  reader.next();
  return reader;
}

function walk(bytes: Uint8Array, offset = 0): readonly RawAttribute[] {
  const reader = new AttributeReader(bytes, offset, 'message');
  const found: RawAttribute[] = [];
  while (reader.next()) found.push(reader.raw());
  return found;
}

test('reads back each kind of value', () => {
  assert.equal(first(written((writer) => putU8(writer, 1, 200))).u8(), 200);
  assert.equal(first(written((writer) => putU32(writer, 1, 0xfffffffe))).u32(), 0xfffffffe);
  assert.equal(first(written((writer) => putU32(writer, 1, 0xfffffffe))).i32(), -2);
  assert.equal(first(Uint8Array.of(6, 0, 1, 0, 2, 1)).u16(), 0x0102);
  assert.equal(first(written((writer) => putString(writer, 1, 'kube-lb0'))).string(), 'kube-lb0');
  for (const ip of ['192.0.2.1', '2001:db8::1'].map(ipOf)) {
    assert.equal(first(written((writer) => putIp(writer, 1, ip))).ip(), ip);
  }
});

test('values are padded to four bytes and the padding is not part of them', () => {
  const bytes = written((writer) => {
    putAttribute(writer, 5, Uint8Array.of(1, 2, 3, 4, 5));
    putU8(writer, 6, 9);
  });
  assert.equal(bytes.length, 20);
  assert.deepEqual(walk(bytes), [
    { type: 5, value: Uint8Array.of(1, 2, 3, 4, 5) },
    { type: 6, value: Uint8Array.of(9) },
  ]);
});

test('nested attributes carry the flag, and it is not part of their type', () => {
  const bytes = written((writer) =>
    putNested(writer, 18, () => {
      putString(writer, 1, 'ifb');
      putU32(writer, 2, 7);
    }),
  );
  assert.equal(new DataView(bytes.buffer).getUint16(2, true), 18 | 0x8000);
  const reader = first(bytes);
  assert.equal(reader.type, 18);
  const inner = reader.nested();
  assert.deepEqual([inner.next(), inner.type, inner.string()], [true, 1, 'ifb']);
  assert.deepEqual([inner.next(), inner.type, inner.u32(), inner.next()], [true, 2, 7, false]);
});

test('the fixed header is read apart from the attributes, and must be there', () => {
  const reader = new AttributeReader(Uint8Array.of(7, 0, 0, 0, 1, 2, 0, 0), 8, 'message');
  assert.deepEqual([reader.headerU8(0), reader.headerU32(4), reader.next()], [7, 0x0201, false]);
  assert.throws(() => reader.headerU32(5), RangeError);
  assert.throws(() => new AttributeReader(new Uint8Array(7), 8, 'message'), {
    code: 'WIRE_TRUNCATED',
    message: 'message: 7 of 8 header bytes',
  });
});

test('text ends at its first NUL, or at the end without one', () => {
  assert.equal(first(Uint8Array.of(8, 0, 1, 0, 97, 98, 0, 99)).string(), 'ab');
  assert.equal(first(Uint8Array.of(6, 0, 1, 0, 97, 98)).string(), 'ab');
});

test('a structure may be longer than we know it, never shorter', () => {
  const bytes = written((writer) =>
    putAttribute(writer, 6, Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 0, 3)),
  );
  assert.equal(first(bytes).u32At(1, 2), 2);
  assert.throws(() => first(bytes).u32At(0, 3), {
    message: 'message: attribute 6 has 9 bytes instead of at least 12',
  });
});

test('a value of the wrong length is named with its attribute', () => {
  const bytes = written((writer) => putU8(writer, 7, 1));
  const cases = [
    [() => first(bytes).u16(), '2'],
    [() => first(bytes).u32(), '4'],
    [() => first(bytes).i32(), '4'],
    [() => first(bytes).ip(), '4 or 16'],
  ] as const;
  for (const [read, wanted] of cases) {
    assert.throws(read, {
      code: 'WIRE_MALFORMED',
      message: `message: attribute 7 has 1 bytes instead of ${wanted}`,
    });
  }
  assert.throws(
    () => first(written((writer) => putU32(writer, 7, 1))).u8(),
    /has 4 bytes instead of 1/,
  );
});

test('attributes that run off the end, or stand still, are refused', () => {
  assert.throws(() => walk(Uint8Array.of(8, 0, 1)), {
    code: 'WIRE_TRUNCATED',
    message: 'message: attribute cut off, 3 of 4 header bytes',
  });
  assert.throws(() => walk(Uint8Array.of(9, 0, 1, 0, 1, 2, 3, 4)), {
    code: 'WIRE_TRUNCATED',
    message: 'message: attribute cut off, 8 of 9 bytes',
  });
  assert.throws(() => walk(Uint8Array.of(3, 0, 1, 0)), {
    code: 'WIRE_MALFORMED',
    message: 'message: attribute 0 claims to be 3 bytes long',
  });
});

test('unknown attributes survive being read and written again', () => {
  const attribute = fc.record(
    { type: fc.integer({ min: 0, max: 0xffff }), value: fc.uint8Array({ maxLength: 40 }) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(attribute), (attributes) => {
      const bytes = written((writer) => {
        for (const { type, value } of attributes) putAttribute(writer, type, value);
      });
      assert.deepEqual(walk(bytes), attributes);
    }),
  );
});

test('the attributes of captured messages are the same bytes when written again', () => {
  const bodies = [
    [frames.linkPort, 16],
    [frames.addressOurs6, 8],
    [frames.routeMultipath6, 12],
  ] as const;
  for (const [frame, offset] of bodies) {
    const body = decodeMessages(frame)[0]?.body ?? new Uint8Array();
    const again = written((writer) => {
      writer.bytes(body.subarray(0, offset));
      for (const { type, value } of walk(body, offset)) putAttribute(writer, type, value);
    });
    assert.deepEqual(again, body);
  }
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(walk, [frames.linkPort.subarray(32)]);
});
