import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import { planRoutes, routeBatch } from './learned-routes.ts';

const node = (number: number) => ({
  name: `node${number}`,
  address: (family: 'ipv4' | 'ipv6') =>
    ipOf(family === 'ipv4' ? `192.0.2.1${number}` : `2001:db8:1::1${number}`),
});
const on = (name: string, ip: string, prefixLength: number, link = 'kube-lb0') => {
  return { node: name, link, ip: ipOf(ip), prefixLength };
};

test('an address on virtual links is routed over all nodes that have it and can be reached', () => {
  const addresses = [
    on('node2', '203.0.113.200', 32),
    on('node1', '203.0.113.200', 32),
    on('node3', '203.0.113.200', 32),
    on('node1', '2001:db8:aa::1', 64),
    on('node1', '192.0.2.100', 24, 'eth0'),
  ];
  assert.deepEqual(
    planRoutes(addresses, [node(1), node(2)]),
    new Map([
      ['2001:db8:aa::/64', ['2001:db8:1::11']],
      ['203.0.113.200/32', ['192.0.2.11', '192.0.2.12']],
    ]),
  );
});

test('only what changed is told to the router, and what is gone is withdrawn last', () => {
  const before = new Map([
    ['203.0.113.1/32', ['192.0.2.11']],
    ['203.0.113.2/32', ['192.0.2.11']],
    ['203.0.113.3/32', ['192.0.2.11']],
  ]);
  const after = new Map([
    ['203.0.113.2/32', ['192.0.2.11']],
    ['203.0.113.3/32', ['192.0.2.11', '192.0.2.12']],
  ]);
  assert.equal(
    routeBatch(before, after),
    'route replace 203.0.113.3/32 nexthop via 192.0.2.11 nexthop via 192.0.2.12\n' +
      'route del 203.0.113.1/32\n',
  );
  assert.equal(routeBatch(after, after), '');
});
