import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from './byte-writer.ts';
import { survivesHostileInput } from './hostile-input.fixture.ts';
import { frames } from './netlink-frames.fixture.ts';
import { decodeMessages, encodeMessage, type NetlinkMessage } from './netlink-message.ts';

function encode(messages: readonly NetlinkMessage[]): Uint8Array {
  const writer = new ByteWriter();
  for (const message of messages) encodeMessage(writer, message);
  return writer.finish();
}

test('every captured frame is the same bytes when decoded and encoded again', () => {
  for (const [name, frame] of Object.entries(frames)) {
    assert.deepEqual(encode(decodeMessages(frame)), frame, name);
  }
});

test('reads the headers of a whole dump', () => {
  const messages = decodeMessages(frames.addressDump);
  const headers = messages.map(({ type, flags, sequence }) => ({ type, flags, sequence }));
  assert.deepEqual(headers.at(0), { type: 20, flags: 2, sequence: 7 });
  assert.deepEqual(headers.at(-1), { type: 3, flags: 2, sequence: 7 });
  assert.equal(new Set(headers.map(({ sequence }) => sequence)).size, 1);
});

test('any list of messages survives encoding and decoding', () => {
  const u16 = fc.integer({ min: 0, max: 0xffff });
  const u32 = fc.integer({ min: 0, max: 0xffffffff });
  const message = fc.record(
    { type: u16, flags: u16, sequence: u32, port: u32, body: fc.uint8Array({ maxLength: 40 }) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(message), (messages) => {
      assert.deepEqual(decodeMessages(encode(messages)), messages);
    }),
  );
});

test('a last message without its padding is complete', () => {
  const whole = encode([{ type: 1, flags: 0, sequence: 1, port: 0, body: Uint8Array.of(1) }]);
  assert.equal(decodeMessages(whole.subarray(0, 17)).length, 1);
});

test('a length shorter than the header is malformed, not an endless loop', () => {
  const bytes = new Uint8Array(16);
  assert.throws(() => decodeMessages(bytes), {
    code: 'WIRE_MALFORMED',
    message: 'netlink message claims to be 0 bytes long',
  });
});

test('a datagram that was cut off says so', () => {
  assert.throws(() => decodeMessages(frames.acknowledgement.subarray(0, 20)), {
    code: 'WIRE_TRUNCATED',
    message: 'netlink message: 20 of 36 bytes',
  });
  assert.throws(() => decodeMessages(frames.acknowledgement.subarray(0, 7)), {
    code: 'WIRE_TRUNCATED',
    message: 'netlink header: 7 of 16 bytes',
  });
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(decodeMessages, [frames.addressDump, frames.errorEchoed]);
});
