import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const again = { annotations: { 're-evaluate': 'true' } };

test('re-evaluation keeps what the Service would be given anyway', () => {
  const world = new World()
    .group('default', ['192.0.2.0/28', '2001:db8::/126'])
    .service('a/0')
    .service('a/1', { families: ['IPv4', 'IPv6'] })
    .settle();
  world.delete('a/0').settle().edit('a/1', again).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.1', '2001:db8::'], 'a lower one is no reason');
});

test('re-evaluation leaves what is excluded, out of range, or one too many', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1').settle();
  const v4pools = [{ pool: '192.0.2.0/28', subnet: '192.0.2.0/24', exclude: ['192.0.2.0'] }];
  world.editGroup('default', { local: { v4pools } }).edit('a/1', again).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.1']);
  world.editGroup('default', ['198.51.100.0/28']).edit('a/1', again).settle();
  assert.deepEqual(world.addresses('a/1'), ['198.51.100.0']);
  const more = { annotations: { addresses: '198.51.100.1,198.51.100.2', 're-evaluate': 'true' } };
  world.edit('a/1', more).settle();
  assert.deepEqual(world.addresses('a/1'), ['198.51.100.1', '198.51.100.2']);
  world.edit('a/1', { annotations: { addresses: null, 're-evaluate': 'true' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['198.51.100.1']);
});

test('re-evaluation of a multi-pool Service leaves ranges without nodes, not those that had some lately', () => {
  const local = { ...ranges('192.0.2.0/30', '198.51.100.0/30', '203.0.113.0/30'), multiPool: true };
  const world = new World().group('default', { local }).service('a/1');
  world.subnets = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'];
  world.settle();
  world.subnets = ['192.0.2.0/24', '!198.51.100.0/24'];
  world.edit('a/1', again).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0', '198.51.100.0']);
});

test('a pool change of a dual-stack Service keeps the order of its families', () => {
  const world = new World()
    .group('four', ['192.0.2.0/30'])
    .group('both', ['198.51.100.0/30', '2001:db8::/126'])
    .service('a/1', {
      families: ['IPv4', 'IPv6'],
      annotations: { addresses: '192.0.2.0,2001:db8::' },
    })
    .settle();
  const annotations = { addresses: null, 'service-group': 'both', 're-evaluate': 'true' };
  world.edit('a/1', { annotations }).settle();
  assert.deepEqual(world.addresses('a/1'), ['198.51.100.0', '2001:db8::']);
});
