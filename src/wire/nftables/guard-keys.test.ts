import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noGuard } from '../../model/guard.ts';
import { ipOf } from '../../model/ip.ts';
import { keyFromHex, keysOf, keyToHex } from './guard-keys.ts';
import { guardSets } from './guard-table.ts';

const four = ipOf('192.0.2.100');
const six = ipOf('2001:db8::100');

test('addresses and openings are sorted into the sets of their family', () => {
  const rules = {
    addresses: [four, six, four],
    openings: [
      { ip: four, protocol: 'TCP', port: 80 },
      { ip: four, protocol: 'UDP', port: 53 },
      { ip: six, protocol: 'SCTP', port: 5060 },
    ],
  } as const;
  assert.deepEqual(keysOf(rules), {
    addresses4: new Set(['c0000264']),
    addresses6: new Set(['20010db8000000000000000000000100']),
    ports4: new Set(['c00002640600000000500000', 'c00002641100000000350000']),
    ports6: new Set(['20010db80000000000000000000001008400000013c40000']),
  });
});

test('keys are as long as their sets have it', () => {
  const openings = [four, six].map((ip) => ({ ip, protocol: 'TCP', port: 1 }) as const);
  const keys = keysOf({ addresses: [four, six], openings });
  for (const { name, keyLength } of Object.values(guardSets)) {
    const found = Object.entries(keys).find(([set]) => set === name)?.[1] ?? new Set<string>();
    assert.deepEqual(
      [...found].map((key) => key.length / 2),
      [keyLength],
      name,
    );
  }
});

test('no guard has no keys', () => {
  assert.deepEqual(new Set(Object.values(keysOf(noGuard)).map(({ size }) => size)), new Set([0]));
});

test('keys survive being written in hexadecimal', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (key) => {
      assert.deepEqual([...keyFromHex(keyToHex(key))], [...key]);
    }),
  );
});
