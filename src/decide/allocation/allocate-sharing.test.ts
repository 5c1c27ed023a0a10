/** Addresses that several Services have: by rule, and against it (specification 17). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const ports = (...numbers: readonly number[]) => ({
  spec: { ports: numbers.map((port) => ({ protocol: 'TCP', port })) },
});

test('17.6: of two Services with one address the younger is told, and neither loses it', () => {
  const held = { annotations: { 'allocated-by': 'PureLB' }, ingress: [{ ip: '192.0.2.0' }] };
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/old', held)
    .service('a/young', held)
    .settle();
  assert.deepEqual(world.look(), ['a/old: 192.0.2.0', 'a/young: 192.0.2.0']);
  assert.match(world.condition('a/old') ?? '', /^True Allocated/);
  assert.match(world.condition('a/young') ?? '', /^False Refused: .*in use by a\/old/);
  const told = world.takeEvents().filter((event) => event.includes('AllocationFailed'));
  assert.equal(told.length, 1);
  world.edit('a/young', { annotations: { 're-evaluate': 'true' } }).settle();
  assert.deepEqual(world.look(), ['a/old: 192.0.2.0', 'a/young: 192.0.2.1']);
});

test('17.20: an edit of ports on a shared address is checked, and the younger told', () => {
  const share = { annotations: { 'allow-shared-ip': 'k' } };
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', { ...share, ports: ['TCP/80'] })
    .service('a/2', { ...share, ports: ['TCP/81'] })
    .settle();
  world.edit('a/1', ports(80, 81)).settle();
  assert.match(world.condition('a/2') ?? '', /^False PortConflict: .*port TCP\/81 .*use by a\/1/);
  world.service('a/3', { ...share, ports: ['TCP/82'] }).settle();
  assert.deepEqual(world.addresses('a/3'), ['192.0.2.0']);
  world.edit('a/1', ports(80)).settle();
  assert.match(world.condition('a/2') ?? '', /^True Allocated/, 'old ports are not kept');
});

test('17.21, decision 10: keys are the cluster\u2019s, unless the group keeps them to a namespace', () => {
  const share = (group: string, port: number) => ({
    ports: [`TCP/${port}`],
    annotations: { 'service-group': group, 'allow-shared-ip': 'k' },
  });
  const world = new World()
    .group('wide', ['192.0.2.0/30'])
    .group('narrow', { local: ranges('198.51.100.0/30'), sharingScope: 'Namespace' })
    .service('a/1', share('wide', 1))
    .service('b/1', share('wide', 2))
    .service('a/2', share('narrow', 1))
    .service('b/2', share('narrow', 2))
    .service('a/3', share('narrow', 2))
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: 192.0.2.0',
    'b/1: 192.0.2.0',
    'a/2: 198.51.100.0',
    'b/2: 198.51.100.1',
    'a/3: 198.51.100.0',
  ]);
});

const share = (key: string, ...names: readonly string[]) => ({
  ports: names,
  annotations: { 'allow-shared-ip': key },
});

test('a key that is taken away leaves the older as it is, and the younger is told', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', share('k', 'TCP/1'))
    .service('a/2', share('k', 'TCP/2'))
    .settle();
  world.edit('a/1', { annotations: { 'allow-shared-ip': null } }).settle();
  assert.match(world.condition('a/1') ?? '', /^True Allocated/);
  assert.match(world.condition('a/2') ?? '', /^False SharingKeyConflict/);
});

test('a key of one pool means nothing in another', () => {
  const world = new World()
    .group('one', ['192.0.2.0/30'])
    .group('two', ['198.51.100.0/30'])
    .service('a/1', { annotations: { 'allow-shared-ip': 'k', 'service-group': 'one' } })
    .service('a/2', { annotations: { 'allow-shared-ip': 'k', 'service-group': 'two' } })
    .settle();
  assert.deepEqual(world.look(), ['a/1: 192.0.2.0', 'a/2: 198.51.100.0']);
});

test('a thousand Services share one address, and a thousand and one do not', () => {
  const world = new World().group('default', ['2001:db8::/64']);
  for (let port = 1; port <= 1000; port++) {
    world.service(`a/${port}`, { families: ['IPv6'], ...share('k', `TCP/${port}`) });
  }
  world.service('a/late', { families: ['IPv6'], ...share('k', 'TCP/500') }).settle();
  assert.deepEqual(world.addresses('a/1000'), ['2001:db8::']);
  assert.match(
    world.condition('a/late') ?? '',
    /port TCP\/500 on "2001:db8::" is already in use by a\/500/,
  );
});

test('whoever is about to go is no reason to refuse anyone: the next plan knows', () => {
  const world = new World().group('default', ['192.0.2.0/32']).service('a/1').settle();
  world
    .delete('a/1')
    .service('a/2', { annotations: { addresses: '192.0.2.0' } })
    .service('a/3');
  assert.deepEqual(
    world.plan().decisions.map(({ service, kind }) => `${service.key} ${kind}`),
    ['a/1 release', 'a/2 pending', 'a/3 pending'],
  );
  world.settle();
  assert.deepEqual(world.addresses('a/2'), ['192.0.2.0']);
});
