import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { held, link, ours } from '../announcement/node.fixture.ts';
import { eth0, kubeLb0 } from '../announcement/snapshot.fixture.ts';
import { router, sessionsOf } from './advertisement.fixture.ts';
import { findIpv6NextHop, type NextHopFacts } from './find-next-hop.ts';

const eth1 = link('eth1', { index: 3 });
const facts: NextHopFacts = {
  peers: [],
  links: [eth0, eth1, kubeLb0],
  addresses: [
    held(eth0, '192.0.2.11/24'),
    held(eth0, '2001:db8:1::11/64'),
    held(eth1, '198.51.100.11/24'),
    held(eth1, '2001:db8:2::11/64'),
    ours(kubeLb0, '2001:db8:aa::7/128'),
  ],
  nodeIps: [ipOf('2001:db8:1::11')],
};
const find = (address: string, more: Partial<NextHopFacts> = {}, neighbor: object = {}) => {
  const neighbors = [router({ neighborAddress: address }, neighbor)];
  const peers = sessionsOf({ neighbors }).peers.map(({ wish }) => wish);
  return findIpv6NextHop({ ...facts, peers, ...more });
};

test('over IPv6 sessions it is the session’s own address', () => {
  assert.equal(find('2001:db8:2::1'), '::');
});

test('over IPv4 sessions it is the node’s address on the link to the router', () => {
  assert.equal(find('198.51.100.1'), '2001:db8:2::11');
  assert.equal(find('192.0.2.1'), '2001:db8:1::11');
});

test('for a router further away it is the node’s own address', () => {
  assert.equal(find('203.0.113.1'), '2001:db8:1::11');
});

test('sessions without IPv6 have no say', () => {
  const afiSafis = [{ family: 'ipv4-unicast', enabled: true }];
  assert.equal(find('198.51.100.1', {}, { afiSafis }), '::');
});

test('addresses of Services, and those that do not work, are none', () => {
  const addresses = [
    held(eth1, '198.51.100.11/24'),
    held(eth1, '2001:db8:2::11/64', { isTentative: true }),
    held(eth1, '2001:db8:2::12/64', { isDeprecated: true }),
    held(eth1, '2001:db8:2::13/64', { hasFailedDad: true }),
    held(eth1, 'fe80::1/64'),
    ours(eth1, '2001:db8:2::14/128'),
    ours(kubeLb0, '2001:db8:aa::7/128'),
  ];
  assert.equal(find('198.51.100.1', { addresses }), undefined);
});
