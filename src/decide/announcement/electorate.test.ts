import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { rangeOf } from '../../model/range.ts';
import { clusterNode, electorateOf, member } from './cluster.fixture.ts';
import { type Electorate, isWithin, pointOf } from './electorate.ts';

function barsOf({ electors }: Electorate): readonly string[] {
  return electors.map(({ node, bar = 'none' }) => `${node}: ${bar}`);
}

test('every member is an elector, by name, this node among them', () => {
  assert.deepEqual(barsOf(electorateOf(['c', 'a', 'b'])), ['a: none', 'b: none', 'c: none']);
});

test('an expired Lease, a label, a removal or a missing Node bar a member', () => {
  const electorate = electorateOf(['me', 'dead', 'labelled', 'leaving', 'gone'], {
    liveness: new Map([['dead', 'expired']]),
    nodes: [
      clusterNode('me'),
      clusterNode('dead'),
      clusterNode('labelled', { isExcluded: true }),
      clusterNode('leaving', { isBeingRemoved: true }),
    ],
  });
  assert.deepEqual(barsOf(electorate), [
    'dead: leaseExpired',
    'gone: nodeGone',
    'labelled: excludedByLabel',
    'leaving: beingRemoved',
    'me: none',
  ]);
});

test('a cordoned node takes part', () => {
  const nodes = [clusterNode('me', { isCordoned: true })];
  assert.deepEqual(barsOf(electorateOf(['me'], { nodes })), ['me: none']);
});

test('while the Nodes are not known, nobody is barred for what they say', () => {
  assert.deepEqual(barsOf(electorateOf(['me', 'b'], { nodes: undefined })), [
    'b: none',
    'me: none',
  ]);
});

test('this node does not judge its own Lease', () => {
  const liveness = new Map([['me', 'expired' as const]]);
  assert.deepEqual(barsOf(electorateOf(['me'], { liveness })), ['me: none']);
});

test('this node without a Lease takes part in no election, but is there', () => {
  assert.deepEqual(barsOf(electorateOf(['me', 'b'], { members: [member('b')] })), [
    'b: none',
    'me: noLease',
  ]);
});

test('this node counts with what its Lease says and its links still bear out', () => {
  const [kept, broken, fresh] = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'];
  const { electors } = electorateOf(['me'], {
    members: [member('me', { subnets: [prefixOf(kept), prefixOf(broken)] })],
    mySubnets: [prefixOf(kept), prefixOf(fresh)],
    myUnreadySubnets: [prefixOf(broken)],
  });
  assert.deepEqual(electors, [
    {
      node: 'me',
      subnets: [rangeOf(kept)],
      unreadySubnets: [rangeOf(broken)],
      bar: undefined,
      hasAgent: true,
      failing: new Set(),
    },
  ]);
});

test('an address is in a network of its own family, both ends included', () => {
  const networks = [rangeOf('192.0.2.0/24'), rangeOf('2001:db8::/64')];
  const inside = ['192.0.2.0', '192.0.2.255', '2001:db8::', '2001:db8::ffff:ffff:ffff:ffff'];
  const outside = ['192.0.1.255', '192.0.3.0', '2001:db8:0:1::', '::c000:200'];
  for (const ip of inside) assert.equal(isWithin(networks, pointOf(ipOf(ip))), true, ip);
  for (const ip of outside) assert.equal(isWithin(networks, pointOf(ipOf(ip))), false, ip);
});

test('an agent that ends may hold nothing, and needs no Lease that says what it could', () => {
  const { electors } = electorateOf(['me'], {
    members: [member('me', { subnets: [] })],
    mySubnets: [prefixOf('192.0.2.0/24')],
    isLeaving: true,
  });
  const [{ bar, subnets } = {}] = electors;
  assert.deepEqual([bar, subnets], ['shuttingDown', [rangeOf('192.0.2.0/24')]]);
});
