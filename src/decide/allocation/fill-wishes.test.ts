import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const dual = ['IPv4', 'IPv6'] as const;
const pin = (addresses: string) => ({ annotations: { addresses } });

test('I3: an address of another family than the Service is refused in plain words', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30', '2001:db8::/126'])
    .service('a/1', pin('2001:db8::1'))
    .service('a/2', pin('192.0.2.1,2001:db8::1'))
    .service('a/3', { ...pin('2001:db8::1'), families: [] })
    .settle();
  const refusal = 'Refused, requested address 2001:db8::1 is IPv6, but the Service is IPv4';
  assert.deepEqual(world.look(), [`a/1: ${refusal}`, `a/2: ${refusal}`, 'a/3: 2001:db8::1']);
});

test('I3: several addresses of one family are given as asked for', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', pin('192.0.2.3, 192.0.2.1'))
    .settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.3', '192.0.2.1']);
});

test('K2: an address that is excluded, or an edge that is avoided, is not given by name either', () => {
  const v4pools = [{ pool: '192.0.2.0/28', subnet: '192.0.2.0/24', exclude: ['192.0.2.5'] }];
  const world = new World()
    .group('default', { local: { v4pools, avoidEdges: true } })
    .service('a/1', pin('192.0.2.5'))
    .service('a/2', pin('192.0.2.0'))
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: Refused, 192.0.2.5 is excluded from pool "default"',
    'a/2: Refused, 192.0.2.0 is excluded from pool "default"',
  ]);
});

test('I4: a key that is bound cannot be taken to another address', () => {
  const keyed = (addresses: string, port: string) => ({
    ports: [port],
    annotations: { addresses, 'allow-shared-ip': 'k' },
  });
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', keyed('192.0.2.1', 'TCP/1'))
    .service('a/2', keyed('192.0.2.2', 'TCP/2'))
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: 192.0.2.1',
    'a/2: SharingKeyConflict, sharing key "k" is bound to 192.0.2.1, cannot use 192.0.2.2',
  ]);
});

test('I15: by name a cool-down is passed over, another\u2019s reservation is not', () => {
  const text = { ...ranges('192.0.2.0/30'), releaseCooldown: '1m' };
  const world = new World().group('default', { local: text }).service('a/1').settle();
  world.delete('a/1').settle().service('a/2', pin('192.0.2.0')).settle();
  assert.deepEqual(world.addresses('a/2'), ['192.0.2.0']);
  assert.equal(world.groupStatus('default').quarantine, undefined);
  world.editGroup('default', { local: { ...text, reserveFor: '1h' } });
  world.delete('a/2').settle().service('a/3', pin('192.0.2.0')).settle();
  assert.deepEqual(world.look(), [
    'a/3: Refused, 192.0.2.0 is reserved for a/2 until 2026-01-01T01:00:00Z',
  ]);
});

test('an address that a lost node may still answer for is not even given by name', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1').settle();
  world.edit('a/1', { annotations: { 'announcing-IPv4': 'node1,eth0,192.0.2.0' } });
  world.lostHolders.set('node1', world.now + 200_000);
  world.delete('a/1').settle().service('a/2', pin('192.0.2.0')).service('a/3').settle();
  assert.deepEqual(world.look(), [
    'a/2: Refused, node node1, which is lost, may answer for 192.0.2.0 until 2026-01-01T00:03:20Z',
    'a/3: 192.0.2.1',
  ]);
  world.now += 200_000;
  assert.deepEqual(world.settle().addresses('a/2'), ['192.0.2.0']);
});

test('what is asked for in two groups is from both, each within its fence', () => {
  const world = new World()
    .group('four', ['192.0.2.0/30'])
    .group('six', { local: ranges('2001:db8::/126'), namespaces: ['b'], enforceNamespaces: true })
    .service('a/1', { families: dual, ...pin('192.0.2.1,2001:db8::1') })
    .settle();
  assert.match(world.look()[0] ?? '', /NamespaceDenied, 2001:db8::1: namespace denied/);
});
