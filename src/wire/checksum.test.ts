import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf, ipToBytes } from '../model/ip.ts';
import { payloads } from './arbitrary-frames.fixture.ts';
import { bytesOf } from './captured-frames.fixture.ts';
import { addWords, checksumOf, pseudoHeaderSum } from './checksum.ts';

test('adds up as the example of RFC 1071 section 3 does', () => {
  const sum = addWords(bytesOf('0001 f203 f4f5 f6f7'));
  assert.equal(sum, 0x2ddf0);
  assert.equal(checksumOf(sum), 0x220d);
});

test('an odd last byte counts as the high half of a word', () => {
  assert.equal(addWords(bytesOf('0001 02')), 0x0201);
  assert.equal(addWords(bytesOf('')), 0);
});

test('carries are folded as often as there are any', () => {
  assert.equal(checksumOf(0xffff), 0);
  assert.equal(checksumOf(0x1ffff), 0xfffe);
  assert.equal(checksumOf(0xffff_ffff), 0);
  assert.equal(checksumOf(0xffff_ffff_ffff), 0);
});

test('a packet with its checksum filled in checks to zero', () => {
  fc.assert(
    fc.property(payloads, (payload) => {
      const packet = Uint8Array.of(0, 0, ...payload);
      new DataView(packet.buffer).setUint16(0, checksumOf(addWords(packet)));
      assert.equal(checksumOf(addWords(packet)), 0);
    }),
  );
});

test('the pseudo-header adds up as its written-out form, for both families', () => {
  const [a4, b4] = [ipOf('192.0.2.1'), ipOf('198.51.100.7')];
  const [a6, b6] = [ipOf('2001:db8::1'), ipOf('ff02::1:ff00:2')];
  assert.equal(
    checksumOf(pseudoHeaderSum({ source: a4, destination: b4, protocol: 17, length: 20 })),
    checksumOf(addWords(Uint8Array.of(...ipToBytes(a4), ...ipToBytes(b4), 0, 17, 0, 20))),
  );
  assert.equal(
    checksumOf(pseudoHeaderSum({ source: a6, destination: b6, protocol: 58, length: 0x12345 })),
    checksumOf(
      addWords(Uint8Array.of(...ipToBytes(a6), ...ipToBytes(b6), 0, 1, 0x23, 0x45, 0, 0, 0, 58)),
    ),
  );
});
