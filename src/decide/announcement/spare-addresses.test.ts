import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { pickSpares } from './spare-addresses.ts';

function pick(text: string, ...held: readonly string[]) {
  const [ip = '', length] = text.split('/');
  return pickSpares({ ip: ipOf(ip), prefixLength: Number(length) }, new Set(held.map(ipOf)));
}

test('two addresses from the end of the subnet, of either family', () => {
  assert.deepEqual(pick('192.0.2.100/24'), ['192.0.2.250', '192.0.2.246']);
  assert.deepEqual(pick('2001:db8:1::100/64'), [
    '2001:db8:1:0:ffff:ffff:ffff:fffa',
    '2001:db8:1:0:ffff:ffff:ffff:fff6',
  ]);
});

test('addresses of this node are left out', () => {
  assert.deepEqual(pick('192.0.2.250/24', '192.0.2.246'), ['192.0.2.241', '192.0.2.235']);
});

test('a subnet with too few addresses has none', () => {
  assert.deepEqual(pick('192.0.2.100/32'), []);
  assert.deepEqual(pick('192.0.2.100/29'), []);
});
