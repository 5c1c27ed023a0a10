import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrefix, prefixOf } from '../../model/prefix.ts';
import { World } from './world.fixture.ts';

/** What the group records, as `network length`. */
function recorded(world: World, name: string): readonly string[] {
  const { groups } = world;
  const { subnets = [] } = (groups.get(`purelb-system/${name}`)?.status ?? {}) as {
    subnets?: readonly { subnet: string; prefixLength: number }[];
  };
  return subnets.map(({ subnet, prefixLength }) => `${subnet} ${prefixLength}`);
}

function give(world: World, key: string, ...texts: readonly string[]): World {
  world.service(key, { annotations: { 'service-group': 'ext' } });
  world.answers.set(key, { pool: 'ext', addresses: texts.map(prefixOf), failures: [] });
  world.settle().answers.clear();
  return world;
}

const external = () => new World().group('ext', { external: { provider: 'acme' } });

test('the ranges of a group are recorded with the length of their routes', () => {
  const remote = {
    v4pools: [
      { pool: '198.51.100.0/28', subnet: '198.51.100.0/24', aggregation: '/32' },
      { pool: '192.0.2.0/28', subnet: '192.0.2.0/24' },
    ],
  };
  const world = new World().group('far', { remote }).settle();
  assert.deepEqual(recorded(world, 'far'), ['192.0.2.0/24 24', '198.51.100.0/24 32']);
});

test('what a source gave is recorded while someone has an address of it', () => {
  const world = give(external(), 'a/1', '203.0.113.7/24');
  give(world, 'a/2', '203.0.113.8/24');
  assert.deepEqual(recorded(world, 'ext'), ['203.0.113.0/24 24']);
  assert.equal(world.annotation('a/1', 'allocated-prefixes'), '203.0.113.7/24');
  world.returned.add('uid-2 ext');
  world.delete('a/1').settle();
  assert.deepEqual(recorded(world, 'ext'), ['203.0.113.0/24 24']);
  world.returned.add('uid-3 ext');
  world.delete('a/2').settle();
  assert.deepEqual([world.services.size, recorded(world, 'ext')], [0, []]);
});

test('an address that stands alone is recorded only where a wider network would be taken for it', () => {
  const world = give(external(), 'a/1', '203.0.113.7/32');
  assert.deepEqual(recorded(world, 'ext'), []);
  give(world, 'a/2', '203.0.113.8/24');
  assert.deepEqual(recorded(world, 'ext'), ['203.0.113.0/24 24', '203.0.113.7/32 32']);
});

test('a range that was taken out stays recorded while someone has an address of it', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1').settle();
  world.editGroup('default', ['198.51.100.0/28']).settle();
  assert.deepEqual(recorded(world, 'default'), ['192.0.2.0/24 24', '198.51.100.0/24 24']);
  world.delete('a/1').settle();
  assert.deepEqual(recorded(world, 'default'), ['198.51.100.0/24 24']);
});

test('a group that cannot be read any more keeps its records', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1').settle();
  world.editGroup('default', { local: { v4pools: [{ subnet: 'x', pool: 'y' }] } }).settle();
  assert.deepEqual(recorded(world, 'default'), ['192.0.2.0/24 24']);
  const lengths = world
    .state()
    .pools.recorded.get('default')
    ?.map(({ subnet }) => formatPrefix(subnet));
  assert.deepEqual(lengths, ['192.0.2.0/24']);
});

test('trust: a prefix length that its owner writes on a Service is put right, and never recorded', () => {
  const world = give(external(), 'a/1', '203.0.113.7/24');
  world.edit('a/1', { annotations: { 'allocated-prefixes': '203.0.113.7/2' } }).settle();
  assert.equal(world.annotation('a/1', 'allocated-prefixes'), '203.0.113.7/24');
  assert.deepEqual(recorded(world, 'ext'), ['203.0.113.0/24 24']);
  world.groups.delete('purelb-system/ext');
  world.edit('a/1', { annotations: { 'allocated-prefixes': '203.0.113.7/8' } }).settle();
  assert.equal(world.annotation('a/1', 'allocated-prefixes'), undefined);
});
