import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type GuardRules, noGuard } from '../../model/guard.ts';
import { ipFromBytes, ipOf } from '../../model/ip.ts';
import { survivesHostileInput } from '../hostile-input.fixture.ts';
import { decodeGuardKey, encodeGuardKey, keysOf } from './guard-keys.ts';
import { guardSets } from './guard-table.ts';

const four = ipOf('192.0.2.100');
const six = ipOf('2001:db8::100');
const rules: GuardRules = {
  addresses: [four, six, four],
  openings: [
    { ip: four, protocol: 'TCP', port: 80 },
    { ip: four, protocol: 'UDP', port: 53 },
    { ip: six, protocol: 'SCTP', port: 5060 },
  ],
};

test('addresses and openings are sorted into the sets of their family', () => {
  assert.deepEqual(keysOf(rules), {
    addresses4: new Set(['192.0.2.100']),
    addresses6: new Set(['2001:db8::100']),
    ports4: new Set(['192.0.2.100 6 80', '192.0.2.100 17 53']),
    ports6: new Set(['2001:db8::100 132 5060']),
  });
});

test('keys are encoded as nft encodes them', () => {
  const texts = Object.values(keysOf(rules)).flatMap((keys) => [...keys]);
  assert.deepEqual(
    texts.map((text) => Buffer.from(encodeGuardKey(text)).toString('hex')),
    [
      'c0000264',
      '20010db8000000000000000000000100',
      'c00002640600000000500000',
      'c00002641100000000350000',
      '20010db80000000000000000000001008400000013c40000',
    ],
  );
});

test('keys are as long as their sets have it', () => {
  const keys = keysOf(rules);
  for (const [name, { keyLength }] of Object.entries(guardSets)) {
    const texts = Object.entries(keys).find(([set]) => set === name)?.[1] ?? new Set<string>();
    const lengths = new Set([...texts].map((text) => encodeGuardKey(text).length));
    assert.deepEqual(lengths, new Set([keyLength]), name);
  }
});

test('no guard has no keys', () => {
  assert.deepEqual(new Set(Object.values(keysOf(noGuard)).map(({ size }) => size)), new Set([0]));
});

test('any key survives encoding and decoding', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const ip = fc.oneof(bytes(4), bytes(16)).map(ipFromBytes);
  const opening = fc.tuple(ip, fc.nat(255), fc.nat(65_535)).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(fc.oneof(ip, opening), (key) => {
      assert.equal(decodeGuardKey(encodeGuardKey(key)), key);
    }),
  );
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(decodeGuardKey, [encodeGuardKey('2001:db8::100 6 80')]);
});
