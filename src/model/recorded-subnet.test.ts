import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from './ip.ts';
import { prefixOf } from './prefix.ts';
import { compareRecorded, findRecorded, isSameRecorded } from './recorded-subnet.ts';

const recorded = (subnet: string, prefixLength: number) => ({
  subnet: prefixOf(subnet),
  prefixLength,
});

test('the narrowest network that contains an address counts, of two the one that draws in less', () => {
  const wide = recorded('192.0.2.0/24', 24);
  const narrow = recorded('192.0.2.0/28', 28);
  const host = recorded('192.0.2.0/28', 32);
  const v6 = recorded('2001:db8::/64', 64);
  const all = [wide, narrow, host, v6];
  assert.equal(findRecorded(all, ipOf('192.0.2.7')), host);
  assert.equal(findRecorded(all.toReversed(), ipOf('192.0.2.7')), host);
  assert.equal(findRecorded(all, ipOf('192.0.2.77')), wide);
  assert.equal(findRecorded(all, ipOf('2001:db8::7')), v6);
  assert.equal(findRecorded(all, ipOf('198.51.100.1')), undefined);
});

test('records are in one order, and the same ones are known to be the same', () => {
  const [a, b, c] = [
    recorded('192.0.2.0/24', 24),
    recorded('192.0.2.0/24', 32),
    recorded('2001:db8::/64', 64),
  ];
  assert.ok(a !== undefined && b !== undefined && c !== undefined);
  assert.deepEqual([c, b, a].sort(compareRecorded), [a, b, c]);
  assert.deepEqual([isSameRecorded(a, { ...a }), isSameRecorded(a, b)], [true, false]);
});
