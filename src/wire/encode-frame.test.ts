import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { neighbourFrames } from './arbitrary-frames.fixture.ts';
import { capturedFrame, capturedFrames } from './captured-frames.fixture.ts';
import { decodeFrame } from './decode-frame.ts';
import { encodeFrame } from './encode-frame.ts';
import { decodeEthernet } from './ethernet.ts';
import { decodeIpv4, Ipv4Fragment } from './ipv4.ts';

test('a frame decodes to what was encoded', () => {
  fc.assert(
    fc.property(neighbourFrames, (frame) => {
      assert.deepEqual(decodeFrame(encodeFrame(frame)), frame);
    }),
    { numRuns: 500 },
  );
});

test('ARP and NDP frames are byte for byte what the kernel and arping send', () => {
  const captured = capturedFrames.filter(({ name }) => /ARP|neighbour sol|advert/.test(name));
  assert.equal(captured.length, 16);
  for (const { name, bytes } of captured) {
    const frame = decodeFrame(bytes);
    assert.ok(frame !== undefined, name);
    assert.deepEqual(encodeFrame(frame), bytes, name);
  }
});

test('an IPv4 echo is never fragmented', () => {
  const frame = decodeFrame(capturedFrame('ping: ICMP echo request'));
  assert.ok(frame !== undefined);
  const packet = decodeIpv4(decodeEthernet(encodeFrame(frame)).payload);
  assert.deepEqual(
    { ...packet, payload: packet.payload.length },
    {
      trafficClass: 0,
      identification: 0,
      fragment: Ipv4Fragment.dont,
      ttl: 64,
      protocol: 1,
      source: '192.0.2.1',
      destination: '192.0.2.2',
      options: new Uint8Array(0),
      payload: 8,
    },
  );
});
