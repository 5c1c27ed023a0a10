import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.fixture.ts';

test('I5: a family that is no longer asked for is released with a word', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30', '2001:db8::/126'])
    .service('a/1', { families: ['IPv4', 'IPv6'] })
    .settle();
  world.edit('a/1', { spec: { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' } }).takeEvents();
  world.settle();
  assert.deepEqual(world.addresses('a/1'), ['2001:db8::']);
  assert.deepEqual(world.takeEvents(), [
    'a/1 AddressReleased: Released addresses no longer needed after IP family transition: [192.0.2.0]',
  ]);
});

test('a family goes even when its pool is gone, and the finalizer with the last address', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1').settle();
  world.groups.clear();
  world.edit('a/1', { spec: { ipFamilies: ['IPv6'] } }).settle();
  const { metadata } = world.services.get('a/1') ?? { metadata: { name: '' } };
  assert.deepEqual([metadata.annotations, metadata.finalizers], [{}, []]);
  assert.match(world.condition('a/1') ?? '', /^False UnknownPool/);
  world.delete('a/1');
  assert.equal(world.services.has('a/1'), false, 'nothing holds it');
});

test('addresses that someone else added to ours are not ours to take away', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1', {
    annotations: { 'allocated-by': 'PureLB', 'multi-pool': 'false' },
    ingress: [{ ip: '203.0.113.1' }, { ip: '192.0.2.0' }, { ip: '192.0.2.1' }],
  });
  assert.deepEqual(world.settle().addresses('a/1'), ['203.0.113.1', '192.0.2.0']);
});
