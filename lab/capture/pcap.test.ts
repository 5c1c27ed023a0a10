import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePcap } from './pcap.ts';

const fileHeader = 'd4c3b2a1 0200 0400 00000000 00000000 00000400 01000000';
/** A broadcast ARP frame, cut short behind its header, seen at 1,000,000.5 s. */
const record = '40420f00 20a10700 10000000 2a000000 ffffffffffff 020000010011 0806 0001';

function bytesOf(...hex: readonly string[]): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.join('').replaceAll(' ', ''), 'hex'));
}

test('frames come out with time, addresses and type', () => {
  assert.deepEqual(decodePcap(bytesOf(fileHeader, record)), [
    {
      epochMs: 1_000_000_500,
      target: 'ff:ff:ff:ff:ff:ff',
      source: '02:00:00:01:00:11',
      etherType: 0x0806,
      bytes: bytesOf('ffffffffffff 020000010011 0806 0001'),
    },
  ]);
});

test('a file that is still being written ends before the record that is not complete', () => {
  const whole = bytesOf(fileHeader, record, record);
  for (let length = 0; length <= whole.length; length++) {
    const expected = length < 56 ? 0 : length < 88 ? 1 : 2;
    assert.equal(decodePcap(whole.subarray(0, length)).length, expected, `${length} bytes`);
  }
});

test('other files are refused', () => {
  assert.throws(() => decodePcap(bytesOf('00'.repeat(24))), /not a pcap file/);
  assert.throws(() => decodePcap(bytesOf(fileHeader.replace(/01000000$/, '71000000'))), /113/);
});
