import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyOf, ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { compareRecords } from './compare-records.ts';
import { World } from './world.fixture.ts';

const ask = { annotations: { 'service-group': 'ext' } };

function worldOf(...services: readonly string[]): World {
  const world = new World()
    .group('ext', { external: { provider: 'acme' } })
    .group('own', ['192.0.2.0/24']);
  for (const text of services) {
    const [key = '', ...addresses] = text.split(' ');
    world.service(key, ask);
    if (addresses.length === 0) continue;
    world.answers.set(key, { pool: 'ext', addresses: addresses.map(prefixOf), failures: [] });
  }
  world.settle();
  return world;
}

/** `records`: `owner ip`. */
function compare(world: World, ...records: readonly string[]) {
  const state = world.state();
  const pool = state.pools.byName.get('ext');
  assert.ok(pool !== undefined);
  const read = records.map((text) => {
    const [owner = '', address = ''] = text.split(' ');
    return { owner, ip: ipOf(address), family: familyOf(ipOf(address)) };
  });
  const { orphans, isSuspicious, missing, misplaced } = compareRecords(pool, read, state);
  return {
    orphans,
    isSuspicious,
    missing: missing.map(({ service, ip }) => `${service.key} ${ip}`),
    misplaced: misplaced.map(
      ({ service, ip, formerOwner: from }) => `${service.key} ${ip} ${from}`,
    ),
  };
}

const nothing = { orphans: [], isSuspicious: false, missing: [], misplaced: [] };

test('what is held and recorded alike is in order', () => {
  const world = worldOf('a/1 203.0.113.1/24');
  assert.deepEqual(compare(world, 'uid-3 203.0.113.1'), nothing);
});

test('a record that no Service has use for is an orphan, of another family too', () => {
  const world = worldOf('a/1 203.0.113.1/24');
  const found = compare(world, 'uid-3 203.0.113.1', 'uid-3 2001:db8::1', 'uid-9 203.0.113.9');
  assert.deepEqual(found, { ...nothing, orphans: ['uid-3 ipv6', 'uid-9 ipv4'] });
});

test('whoever asks or is going keeps its records', () => {
  const world = worldOf('a/1', 'a/2 203.0.113.2/24');
  world.delete('a/2').settle();
  assert.deepEqual(compare(world, 'uid-3 203.0.113.1', 'uid-4 203.0.113.2'), nothing);
});

test('an address that is held and not recorded, or recorded otherwise, is missing', () => {
  const world = worldOf('a/1 203.0.113.1/24', 'a/2 203.0.113.2/24');
  const found = compare(world, 'uid-4 203.0.113.7');
  assert.deepEqual(found, { ...nothing, missing: ['a/1 203.0.113.1', 'a/2 203.0.113.2'] });
});

test('an address that a Service holds is no orphan, though nobody has its slot: it has another name', () => {
  const world = worldOf('a/1 203.0.113.1/24');
  const found = compare(world, 'share::k 203.0.113.1', 'uid-9 203.0.113.9');
  const misplaced = ['a/1 203.0.113.1 share::k'];
  assert.deepEqual(found, { ...nothing, orphans: ['uid-9 ipv4'], misplaced });
});

test('addresses of our own ranges are no business of the source', () => {
  const world = worldOf('a/1 203.0.113.1/24').service('a/2', {
    annotations: { 'service-group': 'own' },
  });
  assert.deepEqual(compare(world.settle(), 'uid-3 203.0.113.1'), nothing);
});

test('when most would go, none should: the cluster identifier may be another cluster\u2019s', () => {
  const others = ['x', 'y', 'z'].map((owner, index) => `${owner} 203.0.113.${index + 7}`);
  const world = worldOf('a/1 203.0.113.1/24');
  const own = 'uid-3 203.0.113.1';
  assert.equal(compare(world, own, ...others).isSuspicious, true);
  assert.equal(compare(world, own, ...others.slice(0, 2)).isSuspicious, false, 'two are no sign');
});

test('when a group is deleted that nobody uses, all may go unless someone chose its clusterId', () => {
  const isSuspicious = (clusterId: object, isDeleting: boolean) => {
    const url = 'https://netbox.example';
    const world = new World().group('ext', { netbox: { url, tenant: 'k', ...clusterId } });
    const object = world.groups.get('purelb-system/ext');
    assert.ok(object !== undefined);
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const metadata = { ...object.metadata, ...(isDeleting ? { deletionTimestamp } : {}) };
    world.groups.set('purelb-system/ext', { ...object, metadata });
    const records = ['x', 'y', 'z'].map((owner, index) => `${owner} 203.0.113.${index + 7}`);
    const found = compare(world, ...records);
    assert.equal(found.orphans.length, 3);
    return found.isSuspicious;
  };
  assert.equal(isSuspicious({}, false), true);
  assert.equal(isSuspicious({}, true), false);
  assert.equal(isSuspicious({ clusterId: 'ours' }, true), true);
});
