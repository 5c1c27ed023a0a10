import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOpening, noGuard } from './guard.ts';
import { ipOf } from './ip.ts';

test('an opening has one text', () => {
  const opening = { ip: ipOf('2001:db8::100'), protocol: 'UDP', port: 53 } as const;
  assert.equal(formatOpening(opening), '2001:db8::100 UDP 53');
});

test('no guard guards nothing', () => {
  assert.deepEqual(noGuard, { addresses: [], openings: [] });
});
