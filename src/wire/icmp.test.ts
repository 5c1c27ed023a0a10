import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf } from '../model/ip.ts';
import {
  assertThrowsOnlyWireErrors,
  ipv4s,
  ipv6s,
  payloads,
  record,
  u8s,
} from './arbitrary-frames.fixture.ts';
import { capturedFrame } from './captured-frames.fixture.ts';
import { decodeIcmp, encodeIcmp } from './icmp.ts';
import { decodeIpv4 } from './ipv4.ts';
import { decodeIpv6 } from './ipv6.ts';

const messages = record({ type: u8s, code: u8s, body: payloads });
const packets = {
  ipv4: decodeIpv4(capturedFrame("kernel's ICMP echo reply of odd length").subarray(14)),
  ipv6: decodeIpv6(capturedFrame("kernel's ICMPv6 echo reply of odd length").subarray(14)),
};

for (const [family, ips] of [['ipv4', ipv4s] as const, ['ipv6', ipv6s] as const]) {
  const packet = packets[family];

  test(`a message decodes to what was encoded (${family})`, () => {
    fc.assert(
      fc.property(messages, record({ source: ips, destination: ips }), (message, path) => {
        assert.deepEqual(decodeIcmp(encodeIcmp(message, path), path), message);
      }),
    );
  });

  test(`a captured message encodes to itself (${family})`, () => {
    assert.deepEqual(
      encodeIcmp(decodeIcmp(packet.payload, packet), packet),
      packet.payload.slice(),
    );
  });

  test(`a flipped bit anywhere is noticed (${family})`, () => {
    for (let bit = 0; bit < packet.payload.length * 8; bit++) {
      const flipped = packet.payload.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.throws(
        () => decodeIcmp(flipped, packet),
        /^WireError: ICMP message of type \d+: check/,
      );
    }
  });

  test(`any bytes decode or throw a WireError (${family})`, () => {
    assertThrowsOnlyWireErrors((bytes) => decodeIcmp(bytes, packet));
  });
}

test('only ICMPv6 covers the addresses by its checksum', () => {
  const { ipv4, ipv6 } = packets;
  decodeIcmp(ipv4.payload, { ...ipv4, source: ipOf('192.0.2.99') });
  assert.throws(
    () => decodeIcmp(ipv6.payload, { ...ipv6, source: ipOf('2001:db8::99') }),
    /checksum is wrong/,
  );
});
