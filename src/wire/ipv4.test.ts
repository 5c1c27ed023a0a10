import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  assertThrowsOnlyWireErrors,
  ipv4s,
  payloads,
  record,
  u8s,
  u16s,
} from './arbitrary-frames.fixture.ts';
import { bytesOf, capturedFrame, capturedFrames } from './captured-frames.fixture.ts';
import { decodeIpv4, encodeIpv4, type Ipv4Packet } from './ipv4.ts';
import { WireError } from './wire-error.ts';

const packets: fc.Arbitrary<Ipv4Packet> = record({
  trafficClass: u8s,
  identification: u16s,
  fragment: u16s,
  ttl: u8s,
  protocol: u8s,
  source: ipv4s,
  destination: ipv4s,
  options: fc
    .nat(10)
    .chain((words) => fc.uint8Array({ minLength: words * 4, maxLength: words * 4 })),
  payload: payloads,
});

const pinged = capturedFrame("kernel's ICMP echo reply").subarray(14);

test('a packet decodes to what was encoded', () => {
  fc.assert(
    fc.property(packets, (packet) => {
      assert.deepEqual(decodeIpv4(encodeIpv4(packet)), packet);
    }),
  );
});

test('captured packets encode to themselves, options included', () => {
  const captured = capturedFrames.filter(({ name }) => name.includes('ICMP '));
  assert.equal(captured.length, 7);
  for (const { name, bytes } of captured) {
    assert.deepEqual(encodeIpv4(decodeIpv4(bytes.subarray(14))), bytes.slice(14), name);
  }
});

test('options are kept apart from the payload', () => {
  const packet = decodeIpv4(
    capturedFrame("kernel's ICMP echo reply with IPv4 options").subarray(14),
  );
  assert.deepEqual(
    packet.options,
    bytesOf(`072710 c0000201 c0000202 c0000202 ${'00'.repeat(24)} 00`),
  );
  assert.deepEqual(packet.payload, bytesOf('0000f3d8001600010001020304050607'));
});

test('padding after the total length is dropped', () => {
  const padded = Uint8Array.of(...pinged, 1, 2, 3);
  assert.deepEqual(decodeIpv4(padded), decodeIpv4(pinged));
});

test('a header that contradicts itself is refused', () => {
  const refuses = (offset: number, value: number, message: RegExp) => {
    const broken = pinged.slice();
    broken[offset] = value;
    assert.throws(() => decodeIpv4(broken), message);
  };
  refuses(0, 0x65, /^WireError: IPv4 packet: version is 6$/);
  refuses(0, 0x44, /^WireError: IPv4 packet: header of 16 bytes$/);
  refuses(0, 0x4f, /^WireError: IPv4 packet: 60 bytes wanted/);
  refuses(3, 19, /^WireError: IPv4 packet: total length is less than the header$/);
  refuses(10, 0, /^WireError: IPv4 packet: header checksum is wrong$/);
});

test('a flipped bit anywhere in the header is noticed', () => {
  for (let bit = 0; bit < 160; bit++) {
    const flipped = pinged.slice();
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.throws(() => decodeIpv4(flipped), WireError, `bit ${bit}`);
  }
});

test('a total length beyond the end of the bytes is refused', () => {
  const packet = encodeIpv4({ ...decodeIpv4(pinged), payload: new Uint8Array(8) });
  assert.throws(() => decodeIpv4(packet.subarray(0, 27)), /8 bytes wanted at offset 20, 7 left/);
});

test('options that no header can hold are a bug of the caller', () => {
  const packet = decodeIpv4(pinged);
  for (const length of [3, 44]) {
    assert.throws(() => encodeIpv4({ ...packet, options: new Uint8Array(length) }), RangeError);
  }
});

test('any bytes decode or throw a WireError', () => {
  assertThrowsOnlyWireErrors(decodeIpv4);
});
