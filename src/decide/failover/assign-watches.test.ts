import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { noLifetimes } from '../../model/kernel-lifetimes.ts';
import { macOf } from '../../model/mac.ts';
import type { Member } from '../../model/member.ts';
import { prefixOf } from '../../model/prefix.ts';
import { assignWatches, describeWatches, findPeers, type WatchFacts } from './assign-watches.ts';

const vip = ipOf('192.0.2.100');

/** Nodes 1 to 3 on the first network, 4 and 5 on the second. */
function member(number: number): Member {
  const network = number < 4 ? '192.0.2' : '198.51.100';
  return {
    node: `node${number}`,
    instance: 'a',
    subnets: [prefixOf(`${network}.0/24`)],
    links: [
      {
        name: 'eth0',
        macs: [macOf(`02:00:00:00:00:1${number}`)],
        addresses: [prefixOf(`${network}.1${number}/24`)],
        gateways: [ipOf(`${network}.1`)],
      },
    ],
    failing: [],
    unmarked: [],
    handing: [],
    conflicts: [],
    lifetimes: noLifetimes,
    protocolVersion: 1,
    peerKeys: [],
    renewTime: '',
    durationMs: 10_000,
    resourceVersion: '1',
  };
}

function factsOf(me: number, changes: Partial<WatchFacts> = {}): WatchFacts {
  const network = me < 4 ? '192.0.2' : '198.51.100';
  return {
    me: `node${me}`,
    links: [{ name: 'eth0', subnets: [prefixOf(`${network}.0/24`)] }],
    members: [1, 2, 3, 4, 5].map(member),
    dead: new Set(),
    zones: new Map(),
    holdings: new Map([['node1', [vip]]]),
    ...changes,
  };
}

function watchesOf(me: number, changes: Partial<WatchFacts> = {}) {
  return assignWatches(factsOf(me, changes));
}

/** Who watches a node. */
function watchersOf(holder: string, changes: Partial<WatchFacts>): readonly string[] {
  const numbers = [...Array(changes.members?.length ?? 5).keys()].map((index) => index + 1);
  return numbers
    .filter((me) => watchesOf(me, changes).some((watch) => watch.holder === holder))
    .map((me) => `node${me}`);
}

const linksOfOne = [{ name: 'eth0', subnets: [prefixOf('192.0.2.0/24')] }];
/** All on the first network. */
const six = [1, 2, 3].flatMap((number) => [
  member(number),
  { ...member(number), node: `node${number + 3}` },
]);

test('a holder is watched by two others of its network, with all that is needed to ask it', () => {
  assert.deepEqual(watchersOf('node1', {}), ['node2', 'node3']);
  assert.deepEqual(watchesOf(2).slice(0, 1), [
    {
      holder: 'node1',
      link: 'eth0',
      macs: ['02:00:00:00:00:11'],
      nodeIps: ['192.0.2.11'],
      ips: ['192.0.2.100'],
      beacons: [
        { who: 'node3', ip: '192.0.2.13', mac: '02:00:00:00:00:13' },
        { who: 'gateway', ip: '192.0.2.1', mac: undefined },
      ],
      isFirst: true,
    },
  ]);
});

test('where nobody holds anything nobody is watched; nobody watches itself or across networks', () => {
  assert.deepEqual(watchesOf(2, { holdings: new Map() }), []);
  const holders = (me: number) => watchesOf(me).map(({ holder }) => holder);
  assert.deepEqual(holders(1), ['node2', 'node3']);
  assert.deepEqual(holders(4), ['node5']);
});

test('who holds nothing is watched too: it may have watched a holder that died with it', () => {
  const [, other] = watchesOf(2);
  assert.deepEqual([other?.holder, other?.ips, other?.nodeIps], ['node3', [], ['192.0.2.13']]);
});

test('who holds something watches someone alive, whoever else would: else it never knows that it is cut off', () => {
  const zones = new Map(
    six.map(({ node }) => [node, ['node6', 'node4'].includes(node) ? 'b' : 'a']),
  );
  const counts = (isHolding: boolean) =>
    [1, 2, 3].map((me) => {
      const holdings = new Map([[isHolding ? `node${me}` : 'node6', [vip]]]);
      return watchesOf(me, { members: six, links: linksOfOne, zones, holdings }).length;
    });
  assert.ok(counts(false).includes(0));
  assert.ok(counts(true).every((count) => count > 0));
});

test('two are enough, however many there are', () => {
  assert.equal(watchersOf('node1', { members: six, links: linksOfOne }).length, 2);
});

test('all have as much to watch, however many there are', () => {
  const members = Array.from({ length: 100 }, (_, index) => ({
    ...member(1),
    node: `node${index + 1}`,
  }));
  const facts = { members, links: linksOfOne };
  const counts = members.map((_, index) => watchesOf(index + 1, facts).length);
  assert.deepEqual(new Set(counts), new Set([2]));
  const without = members.slice(1);
  const changed = without.filter(({ node }) => {
    const me = Number(node.slice(4));
    const holders = (all: readonly Member[]) =>
      watchesOf(me, { ...facts, members: all }).map(({ holder }) => holder);
    return holders(members).join() !== holders(without).join();
  });
  assert.ok(changed.length <= 2, `${changed.length} watch others when one is gone`);
});

test('when a watcher dies the next in rank inherits', () => {
  const facts = { members: six, links: linksOfOne };
  const before = watchersOf('node1', facts);
  const [first = ''] = before;
  const after = watchersOf('node1', { ...facts, dead: new Set([first]) }).filter(
    (node) => node !== first,
  );
  assert.equal(after.length, 2);
  assert.ok(after.includes(before[1] ?? ''));
});

test('watchers are in another zone than the holder where there are any', () => {
  const zones = new Map(
    six.map(({ node }) => [node, ['node6', 'node4'].includes(node) ? 'b' : 'a']),
  );
  zones.set('node5', 'b');
  for (const others of [['node2', 'node3', 'node4'], ['node4']]) {
    const elsewhere = new Map([...zones, ...others.map((node) => [node, 'b'] as const)]);
    const watchers = watchersOf('node1', { members: six, links: linksOfOne, zones: elsewhere });
    assert.equal(watchers.length, 2);
    assert.ok(watchers.every((node) => elsewhere.get(node) === 'b'));
  }
  assert.ok(watchersOf('node1', { members: six, links: linksOfOne, zones }).includes('node5'));
});

test('dead members are no beacons', () => {
  const [watch] = watchesOf(2, { dead: new Set(['node3']) });
  assert.deepEqual(
    watch?.beacons.map(({ who }) => who),
    ['gateway'],
  );
});

test('anyone on the same network can be looked at, and told', () => {
  const [watch] = describeWatches('node3', factsOf(2));
  assert.deepEqual([watch?.holder, watch?.nodeIps, watch?.ips], ['node3', ['192.0.2.13'], []]);
  assert.deepEqual(describeWatches('node4', factsOf(2)), []);
  assert.deepEqual(describeWatches('node2', factsOf(2)), []);
  assert.deepEqual(findPeers('eth0', factsOf(2)), ['192.0.2.11', '192.0.2.13']);
});
