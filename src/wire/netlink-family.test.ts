import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyFromNumber, familyNumber } from './netlink-family.ts';

test('IPv4 and IPv6 have their Linux numbers, other families none', () => {
  assert.deepEqual(familyNumber, { ipv4: 2, ipv6: 10 });
  assert.deepEqual([0, 2, 7, 10, 28].map(familyFromNumber), [
    undefined,
    'ipv4',
    undefined,
    'ipv6',
    undefined,
  ]);
});
