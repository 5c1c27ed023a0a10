import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf } from '../model/ip.ts';
import {
  assertThrowsOnlyWireErrors,
  ipv6s,
  payloads,
  record,
  u8s,
} from './arbitrary-frames.fixture.ts';
import { bytesOf, capturedFrame, capturedFrames } from './captured-frames.fixture.ts';
import { decodeIpv6, encodeIpv6 } from './ipv6.ts';
import { WireError } from './wire-error.ts';

const packets = record({
  trafficClass: u8s,
  flowLabel: fc.nat(0xfffff),
  nextHeader: u8s,
  hopLimit: u8s,
  source: ipv6s,
  destination: ipv6s,
  payload: payloads,
});

const marked = capturedFrame(
  'ping -Q 0xb8 -F 0xabcde: ICMPv6 echo request with a traffic class',
).subarray(14);

test('a packet decodes to what was encoded', () => {
  fc.assert(
    fc.property(packets, (packet) => {
      assert.deepEqual(decodeIpv6(encodeIpv6(packet)), packet);
    }),
  );
});

test('captured packets encode to themselves', () => {
  const captured = capturedFrames.filter(({ bytes }) => bytes[12] === 0x86);
  assert.equal(captured.length, 14);
  for (const { name, bytes } of captured) {
    assert.deepEqual(encodeIpv6(decodeIpv6(bytes.subarray(14))), bytes.slice(14), name);
  }
});

test('traffic class and flow label share the first word with the version', () => {
  assert.deepEqual(decodeIpv6(marked), {
    trafficClass: 0xb8,
    flowLabel: 0xabcde,
    nextHeader: 58,
    hopLimit: 64,
    source: ipOf('2001:db8::1'),
    destination: ipOf('2001:db8::2'),
    payload: bytesOf('80001818001700010001020304050607'),
  });
});

test('padding after the payload length is dropped', () => {
  assert.deepEqual(decodeIpv6(Uint8Array.of(...marked, 1, 2, 3)), decodeIpv6(marked));
});

test('another version is refused', () => {
  const broken = marked.slice();
  broken[0] = 0x40;
  assert.throws(() => decodeIpv6(broken), /^WireError: IPv6 packet: version is 4$/);
});

test('a packet cut short is refused', () => {
  for (let length = 0; length < marked.length; length++) {
    assert.throws(() => decodeIpv6(marked.subarray(0, length)), WireError);
  }
});

test('any bytes decode or throw a WireError', () => {
  assertThrowsOnlyWireErrors(decodeIpv6);
});
