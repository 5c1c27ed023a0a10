import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as der from './der.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

// The bytes are those that `openssl asn1parse -genstr` gives for the same values.
test('each kind of value has the bytes that X.690 gives it', () => {
  const written = {
    zero: der.integer(Buffer.from([0])),
    'leading zeros are dropped': der.integer(Buffer.from([0, 0, 5])),
    'a high bit is no sign': der.integer(Buffer.from([0x80])),
    true: der.boolean(true),
    text: der.utf8String('lab'),
    bits: der.bitString(Buffer.from([0b0000_0110]), 1),
    time: der.utcTime(new Date('2026-11-15T10:09:05.999Z')),
    'nested sequences': der.sequence(der.set(), der.octetString(Buffer.from([1]))),
  };
  assert.deepEqual(
    Object.fromEntries(Object.entries(written).map(([name, bytes]) => [name, hex(bytes)])),
    {
      zero: '020100',
      'leading zeros are dropped': '020105',
      'a high bit is no sign': '02020080',
      true: '0101ff',
      text: '0c036c6162',
      bits: '03020106',
      time: '170d3236313131353130303930355a',
      'nested sequences': '30053100040101',
    },
  );
});

test('lengths from 128 on are written with their own length before them', () => {
  const header = (length: number) => hex(der.octetString(Buffer.alloc(length))).slice(0, 10);
  assert.deepEqual([127, 128, 255, 256, 65536].map(header), [
    '047f000000',
    '0481800000',
    '0481ff0000',
    '0482010000',
    '0483010000',
  ]);
});

test('object identifiers pack seven bits into a byte', () => {
  assert.deepEqual(
    ['2.5.4.3', '1.2.840.10045.4.3.2', '1.3.6.1.5.5.7.3.1'].map((dotted) =>
      hex(der.objectIdentifier(dotted)),
    ),
    ['0603550403', '06082a8648ce3d040302', '06082b06010505070301'],
  );
});
