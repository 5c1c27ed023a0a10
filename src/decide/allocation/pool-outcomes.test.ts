import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWakeTime } from './pool-outcomes.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const counts = (world: World, name: string) => {
  const outcome = world.plan().pools.find(({ pool }) => pool.name === name);
  return [outcome?.allocated, outcome?.available];
};

test('16.49, 16.54: addresses in use and free are counted for each family', () => {
  const world = new World()
    .group('default', ['192.0.2.0-192.0.2.9', '2001:db8::-2001:db8::f'])
    .service('a/1', { families: ['IPv4', 'IPv6'] })
    .service('a/2', { families: ['IPv4', 'IPv6'] })
    .settle();
  assert.deepEqual(counts(world, 'default'), [
    { ipv4: 2, ipv6: 2 },
    { ipv4: 8n, ipv6: 14n },
  ]);
});

test('17.14: a /64 or a wider network is counted in full', () => {
  const world = new World()
    .group('default', ['2001:db8::/48 in 2001:db8::/48'])
    .service('a/1', { families: ['IPv6'] })
    .settle();
  assert.deepEqual(counts(world, 'default')[1], { ipv4: 0n, ipv6: 2n ** 80n - 1n });
});

test('what is in quarantine or withheld is not free, and what is held though withheld not counted twice', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/29'), releaseCooldown: '1h' } })
    .service('a/1')
    .service('a/2')
    .settle();
  world.delete('a/2').settle();
  assert.deepEqual(counts(world, 'default')[1], { ipv4: 6n, ipv6: 0n });
  const v4pools = [
    { pool: '192.0.2.0/29', subnet: '192.0.2.0/24', exclude: ['192.0.2.0-192.0.2.3'] },
  ];
  world.editGroup('default', { local: { v4pools, releaseCooldown: '1h' } }).settle();
  assert.deepEqual(counts(world, 'default'), [
    { ipv4: 1, ipv6: 0 },
    { ipv4: 4n, ipv6: 0n },
  ]);
});

test('the allocator wakes when the next entry of a quarantine ends, and not before', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/29'), releaseCooldown: '10m' } })
    .service('a/1')
    .service('a/2')
    .settle();
  assert.equal(world.plan().wakeAt, undefined);
  world.delete('a/1').settle();
  world.now += 60_000;
  world.delete('a/2').settle();
  assert.equal(world.plan().wakeAt, world.now + 540_000);
  assert.equal(findWakeTime([], 0), undefined);
});

test('an address that others still share is not in anyone\u2019s quarantine', () => {
  const share = (port: string) => ({ ports: [port], annotations: { 'allow-shared-ip': 'k' } });
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/29'), releaseCooldown: '10m' } })
    .service('a/1', share('TCP/1'))
    .service('a/2', share('TCP/2'))
    .settle();
  world.delete('a/1').settle();
  assert.equal(world.groupStatus('default').quarantine, undefined);
  world.delete('a/2').settle();
  assert.equal(world.groupStatus('default').quarantine?.length, 1);
});

test('the address of a lost holder is in quarantine once nobody shares it any more', () => {
  const share = (port: string) => ({ ports: [port], annotations: { 'allow-shared-ip': 'k' } });
  const world = new World()
    .group('default', ['192.0.2.0/29'])
    .service('a/1', share('TCP/1'))
    .service('a/2', share('TCP/2'))
    .settle();
  for (const key of ['a/1', 'a/2']) {
    world.edit(key, { annotations: { 'announcing-IPv4': 'node1,eth0,192.0.2.0' } });
  }
  world.lostHolders.set('node1', world.now + 60_000);
  world.delete('a/1').settle();
  assert.equal(world.groupStatus('default').quarantine, undefined, 'someone else shares it');
  world.delete('a/2').settle();
  assert.deepEqual(world.groupStatus('default').quarantine, [
    { address: '192.0.2.0', until: '2026-01-01T00:01:00Z', reason: 'HolderLost', node: 'node1' },
  ]);
});

test('the address of a lost holder is not in quarantine while someone else holds it', () => {
  const theirs = { class: 'example.com/lb', ingress: [{ ip: '192.0.2.0' }] };
  const world = new World().group('default', ['192.0.2.0/29']).service('a/1').settle();
  world.edit('a/1', { annotations: { 'announcing-IPv4': 'node1,eth0,192.0.2.0' } });
  world.lostHolders.set('node1', world.now + 60_000);
  world.service('b/1', theirs).settle();
  world.delete('a/1').settle();
  assert.equal(world.groupStatus('default').quarantine, undefined);
});

test('a released address is in quarantine in the same plan, also when the status was emptied first', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/32'), reserveFor: '1h' } })
    .service('a/1')
    .settle();
  world.changeType('a/1', 'ClusterIP').service('a/2').settle();
  assert.match(world.look()[1] ?? '', /^a\/2: Exhausted/);
});
