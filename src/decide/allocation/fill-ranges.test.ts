import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const local = { ...ranges('192.0.2.0/30', '198.51.100.0/30'), multiPool: true };

function spread(...subnets: readonly string[]): World {
  const world = new World().group('default', { local }).service('a/1');
  world.subnets = subnets;
  return world.settle();
}

test('17.23: subnets are compared by what they contain, however they are written', () => {
  assert.deepEqual(spread('192.0.2.77/24', '198.51.0.0/16').addresses('a/1'), [
    '192.0.2.0',
    '198.51.100.0',
  ]);
  assert.deepEqual(spread('192.0.2.128/25').look()[0]?.slice(0, 14), 'a/1: Exhausted');
});

test('17.24: a subnet that loses its nodes loses its address, after a grace', () => {
  const world = spread('192.0.2.0/24', '198.51.100.0/24');
  world.subnets = ['192.0.2.0/24', '!198.51.100.0/24'];
  assert.deepEqual(world.settle().addresses('a/1'), ['192.0.2.0', '198.51.100.0']);
  world.subnets = ['192.0.2.0/24'];
  world.takeEvents();
  assert.deepEqual(world.settle().addresses('a/1'), ['192.0.2.0']);
  assert.deepEqual(world.takeEvents(), [
    'a/1 AddressReleased: Released 198.51.100.0: no node is on its subnet any more',
  ]);
});

test('17.24: when no node is anywhere, nobody loses anything', () => {
  const world = spread('192.0.2.0/24', '198.51.100.0/24');
  world.subnets = [];
  assert.deepEqual(world.settle().addresses('a/1'), ['192.0.2.0', '198.51.100.0']);
});

test('17.24: families that are no longer asked for go from every range', () => {
  const both = { ...ranges('192.0.2.0/30', '2001:db8:1::/64', '2001:db8:2::/64'), multiPool: true };
  const world = new World()
    .group('default', { remote: both })
    .service('a/1', { families: ['IPv4', 'IPv6'] })
    .settle();
  assert.equal(world.addresses('a/1').length, 3);
  world.edit('a/1', { spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
});

test('from multi-pool to one address at the Service\u2019s word, not at the group\u2019s', () => {
  const world = spread('192.0.2.0/24', '198.51.100.0/24');
  world.editGroup('default', { local: { ...local, multiPool: false } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0', '198.51.100.0']);
  world.edit('a/1', { annotations: { 'multi-pool': 'false' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
});

test('while the nodes are not known a new Service waits, and one that has addresses keeps them', () => {
  const world = spread('192.0.2.0/24');
  world.subnets = undefined;
  world.service('a/2').settle();
  assert.deepEqual(world.look(), ['a/1: 192.0.2.0', 'a/2: pending subnets']);
});

test('where both families are required, each must have a range with nodes', () => {
  const both = { ...ranges('192.0.2.0/30', '2001:db8:1::/64'), multiPool: true };
  const dual = ['IPv4', 'IPv6'] as const;
  const world = new World()
    .group('default', { local: both })
    .service('a/1', { families: dual })
    .service('a/2', { families: dual, policy: 'PreferDualStack' });
  world.subnets = ['192.0.2.0/24'];
  assert.deepEqual(world.settle().look(), [
    'a/1: Exhausted, no IPv6 range with nodes and a free address for a/1',
    'a/2: 192.0.2.0',
  ]);
});

test('a range that is added to the group is used, and one that is taken away keeps its address', () => {
  const world = spread('192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24');
  const more = { ...ranges('192.0.2.0/30', '203.0.113.0/30'), multiPool: true };
  world.editGroup('default', { local: more }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0', '198.51.100.0', '203.0.113.0']);
  assert.match(
    world.condition('a/1') ?? '',
    /^True NotInPool: .*no group in force has 198.51.100.0/,
  );
  world.edit('a/1', { annotations: { 're-evaluate': 'true' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0', '203.0.113.0']);
});

test('a key that is put on a multi-pool Service is refused, and takes nothing away', () => {
  const world = spread('192.0.2.0/24', '198.51.100.0/24');
  world.edit('a/1', { annotations: { 'allow-shared-ip': 'k' } }).takeEvents();
  world.settle();
  assert.equal(world.addresses('a/1').length, 2);
  assert.deepEqual(world.takeEvents(), [
    'a/1 AllocationFailed: Incremental multi-pool allocation refused for "a/1": multi-pool allocation cannot be combined with IP sharing (annotation purelb.io/allow-shared-ip)',
  ]);
});
