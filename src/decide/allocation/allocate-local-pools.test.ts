/** What upstream's tests assert of local pools (specification 16.2), on ours. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const dual = ['IPv4', 'IPv6'] as const;
const keyed = (key: string, ...ports: readonly string[]) => ({
  annotations: { 'allow-shared-ip': key },
  ports,
});

test('16.13: without a range of the family every allocation fails', () => {
  const world = new World().group('default', ['2001:db8::/120']).service('a/a').settle();
  assert.deepEqual(world.look(), ['a/a: Exhausted, pool "default" has no IPv4 addresses']);
});

test('16.14: without families on the Service IPv6 comes before IPv4', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30', '2001:db8::/120'])
    .group('v4', ['198.51.100.0/30'])
    .service('a/a', { families: [] })
    .service('a/b', { families: [], annotations: { 'service-group': 'v4' } })
    .settle();
  assert.deepEqual(world.look(), ['a/a: 2001:db8::', 'a/b: 198.51.100.0']);
});

test('16.16, 16.24: ranges are used in declared order, and families in that of the Service', () => {
  const world = new World()
    .group('default', ['192.0.2.8/31', '192.0.2.4/31', '2001:db8::8/127', '2001:db8::/127'])
    .service('a/a', { families: ['IPv6', 'IPv4'] })
    .service('a/b', { families: dual })
    .service('a/c', { families: dual })
    .settle();
  assert.deepEqual(world.look(), [
    'a/a: 2001:db8::8, 192.0.2.8',
    'a/b: 192.0.2.9, 2001:db8::9',
    'a/c: 192.0.2.4, 2001:db8::',
  ]);
});

test('16.17, 16.35: an address that a Service holds is passed over', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/new')
    .service('a/old', {
      annotations: { 'allocated-by': 'PureLB' },
      ingress: [{ ip: '192.0.2.0' }],
    })
    .settle();
  assert.deepEqual(world.look(), ['a/new: 192.0.2.1', 'a/old: 192.0.2.0']);
});

test('16.18, 16.19, 16.39: a shared address counts once, until the last who shares it is gone', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/a', keyed('k', 'TCP/80'))
    .service('a/b', keyed('k', 'TCP/443'))
    .settle();
  const counts = () => {
    const { allocatedIPv4, availableIPv4 } = world.settle().groupStatus('default');
    return [allocatedIPv4, availableIPv4];
  };
  assert.deepEqual(counts(), [1, 3]);
  world.delete('a/a');
  assert.deepEqual(counts(), [1, 3]);
  world.delete('a/b');
  assert.deepEqual(counts(), [0, 4]);
});

test('16.20: Services that share do so in both families, until the last of them is gone', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30', '2001:db8::/126'])
    .service('a/a', { ...keyed('k', 'TCP/80'), families: dual })
    .service('a/b', { ...keyed('k', 'TCP/443'), families: dual })
    .service('a/c', { ...keyed('k', 'TCP/80'), families: dual })
    .settle();
  const refused = 'a/c: PortConflict, port TCP/80 on "192.0.2.0" is already in use by a/a';
  const both = '192.0.2.0, 2001:db8::';
  assert.deepEqual(world.look(), [`a/a: ${both}`, `a/b: ${both}`, refused]);
  world.delete('a/a').settle();
  assert.deepEqual(world.look(), [`a/b: ${both}`, `a/c: ${both}`]);
  world.delete('a/b').delete('a/c').settle().service('a/d').settle();
  assert.deepEqual(world.look(), ['a/d: 192.0.2.0']);
});

test('16.22, 16.29: keys bind addresses, and ports decide who may join', () => {
  const world = new World()
    .group('default', ['192.0.2.0/31'])
    .service('a/a', keyed('one', 'TCP/80'))
    .service('a/b', keyed('two', 'TCP/80'))
    .service('a/c', keyed('two', 'TCP/80'))
    .settle();
  assert.deepEqual(world.look().slice(0, 2), ['a/a: 192.0.2.0', 'a/b: 192.0.2.1']);
  assert.match(world.look()[2] ?? '', /port TCP\/80 .*already in use by a\/b/);
  world.edit('a/c', { spec: { ports: [{ protocol: 'TCP', port: 81 }] } }).settle();
  assert.deepEqual(world.addresses('a/c'), ['192.0.2.1']);
});

test('16.26, 16.28: a port conflict does not escape to a free address, and is named as such', () => {
  const world = new World()
    .group('default', ['192.0.2.0/24'])
    .service('a/a', keyed('k', 'TCP/80'))
    .service('a/b', keyed('k', 'TCP/80', 'TCP/81'))
    .service('a/c', keyed('k', 'UDP/80'))
    .settle();
  assert.match(world.look()[1] ?? '', /^a\/b: PortConflict, .*port TCP\/80.*already in use/);
  assert.deepEqual(world.addresses('a/c'), ['192.0.2.0']);
});

test('16.27: a key that nobody has any more binds nothing', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/a', keyed('k', 'TCP/80'))
    .settle();
  world.delete('a/a').settle().service('a/b').settle();
  world.service('a/c', keyed('k', 'TCP/80')).settle();
  assert.deepEqual(world.look(), ['a/b: 192.0.2.0', 'a/c: 192.0.2.1']);
});

const spread = { local: { ...ranges('192.0.2.0/30', '198.51.100.0/30'), multiPool: true } };
const both = ['192.0.2.0/24', '198.51.100.0/24'];

test('16.30, 16.31: multiPool gives one address of each range that has nodes', () => {
  const given = (subnets: readonly string[]) => {
    const world = new World().group('default', spread).service('a/a');
    world.subnets = subnets;
    return world.settle().look();
  };
  assert.deepEqual(given(both), ['a/a: 192.0.2.0, 198.51.100.0']);
  assert.deepEqual(given(['198.51.100.0/24']), ['a/a: 198.51.100.0']);
  assert.deepEqual(given([]), [
    'a/a: Exhausted, no IPs allocated for service a/a: 2 ranges skipped (no active nodes)',
  ]);
});

test('16.31: multiPool goes without a range that is used up, and counts for each family', () => {
  const local = {
    ...ranges('192.0.2.0/32', '198.51.100.0/30', '2001:db8:1::/64', '2001:db8:2::/64'),
    multiPool: true,
  };
  const world = new World()
    .group('default', { local })
    .service('a/a', { families: dual })
    .service('a/b');
  world.subnets = [...both, '2001:db8::/32'];
  world.settle();
  assert.deepEqual(world.look(), [
    'a/a: 192.0.2.0, 198.51.100.0, 2001:db8:1::, 2001:db8:2::',
    'a/b: 198.51.100.1',
  ]);
  assert.equal(
    world.condition('a/b'),
    'True PartiallyAllocated: 198.51.100.1 from pool default; range 192.0.2.0/32 of pool "default" exhausted',
  );
});

test('16.32: where nodes are matters to local addresses only', () => {
  const { local } = spread;
  const world = new World()
    .group('default', { remote: local })
    .group('auto', {
      announce: 'auto',
      local: { ...ranges('203.0.113.0/30', '203.0.113.128/30'), multiPool: true },
    })
    .service('a/a')
    .service('a/b', { annotations: { 'service-group': 'auto' } });
  world.subnets = undefined;
  assert.deepEqual(world.settle().look(), [
    'a/a: 192.0.2.0, 198.51.100.0',
    'a/b: 203.0.113.0, 203.0.113.128',
  ]);
});

const balanced = (...texts: readonly string[]) => ({
  local: { ...ranges(...texts), balancePools: true },
});

test('16.33: balancePools alternates, fills everything, and returns to the emptier range', () => {
  const world = new World().group('default', balanced('192.0.2.0/32', '192.0.2.8-192.0.2.12'));
  for (const name of '123456') world.service(`a/${name}`);
  world.settle();
  assert.deepEqual(
    world.look().map((line) => line.slice(5)),
    ['192.0.2.0', '192.0.2.8', '192.0.2.9', '192.0.2.10', '192.0.2.11', '192.0.2.12'],
  );
  world.service('a/7').settle();
  assert.match(world.look()[6] ?? '', /^a\/7: Exhausted, pool "default" exhausted/);
  world.delete('a/1').settle();
  assert.deepEqual(world.addresses('a/7'), ['192.0.2.0']);
});

test('16.33: families are balanced apart, and Services that share are not balanced', () => {
  const world = new World()
    .group('default', balanced('192.0.2.0/30', '192.0.2.8/30', '2001:db8::/126', '2001:db8::8/126'))
    .service('a/1', { families: dual })
    .service('a/2', { families: ['IPv6'] })
    .service('a/3', { families: dual })
    .service('a/4', keyed('k', 'TCP/1'))
    .service('a/5', keyed('k', 'TCP/2'))
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: 192.0.2.0, 2001:db8::',
    'a/2: 2001:db8::8',
    'a/3: 192.0.2.8, 2001:db8::1',
    'a/4: 192.0.2.1',
    'a/5: 192.0.2.1',
  ]);
});
