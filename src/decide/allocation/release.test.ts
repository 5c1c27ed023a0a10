import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupFinalizer } from '../../model/well-known-names.ts';
import { ranges } from './raw-objects.fixture.ts';
import { release } from './release.ts';
import { World } from './world.fixture.ts';

const ours = { 'allocated-by': 'PureLB', 'allocated-from': 'default' };

test('I11, I16: deletion frees the address and lets the object go, dead agents or not', () => {
  const world = new World()
    .group('default', ['192.0.2.0/32'])
    .service('a/1', { finalizers: ['example.com/other'] })
    .settle();
  const slot = { 'announcing-IPv4': 'dead-node,eth0,192.0.2.0' };
  world.edit('a/1', { annotations: slot }).delete('a/1').takeEvents();
  world.service('a/2').settle();
  assert.deepEqual(world.services.get('a/1')?.metadata.finalizers, ['example.com/other']);
  assert.deepEqual(world.look(), ['a/1: ignored, it is being deleted', 'a/2: 192.0.2.0']);
  assert.deepEqual(world.takeEvents(), [
    'a/1 AddressReleased: Service is being deleted',
    'a/2 AddressAssigned: Assigned 192.0.2.0 from pool default',
  ]);
});

test('what others wrote into the status stays', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1', {
    annotations: ours,
    finalizers: [cleanupFinalizer],
    ingress: [{ ip: '192.0.2.1' }, { hostname: 'x.example' }],
  });
  world.delete('a/1');
  const [claimed] = world.plan().decisions;
  assert.ok(claimed !== undefined && claimed.kind === 'release');
  assert.deepEqual(claimed.givesUp, [{ ip: '192.0.2.1', pool: 'default' }]);
});

test('a Service that became another controller\u2019s loses our marks alone', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1', {
    class: 'example.com/lb',
    annotations: ours,
    finalizers: [cleanupFinalizer],
    ingress: [{ ip: '203.0.113.1' }],
  });
  world.settle();
  const { metadata } = world.services.get('a/1') ?? { metadata: { name: '' } };
  assert.deepEqual([metadata.annotations, metadata.finalizers], [{}, [cleanupFinalizer]]);
  assert.deepEqual(world.addresses('a/1'), ['203.0.113.1']);
});

test('a mark without the brand does not make the addresses ours', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', { annotations: { 'pool-type': 'local' }, ingress: [{ ip: '203.0.113.1' }] });
  const [service] = world.state().services;
  assert.ok(service !== undefined);
  const { grant, events } = release(
    { service, fate: { kind: 'serve' }, held: [], rank: 0 },
    'type',
    world.state(),
  );
  assert.deepEqual([grant.ingress, grant.isCleared, events], [['203.0.113.1'], true, []]);
});

const forged = {
  'allocated-by': 'PureLB',
  'allocated-from': 'default, ext',
  'allocated-prefixes': '192.0.2.0/24,192.0.2.1/2',
  'announcing-IPv4': 'node1,eth0,192.0.2.0 node1,eth0,192.0.2.1',
};

test('trust: a ClusterIP Service with forged marks releases nothing, and loses the marks', () => {
  const spec = { local: { ...ranges('192.0.2.0/30'), releaseCooldown: '1h', reserveFor: '2h' } };
  const world = new World().group('default', spec).service('a/victim').settle();
  world.lostHolders.set('node1', world.now + 60_000);
  world.service('b/thief', { type: 'ClusterIP', annotations: forged }).takeEvents();
  const plan = world.plan();
  assert.deepEqual(plan.pools[0]?.quarantine, []);
  assert.deepEqual(
    plan.decisions.flatMap((each) => ('givesUp' in each ? each.givesUp : [])),
    [],
  );
  world.settle();
  assert.deepEqual(world.takeEvents(), []);
  assert.deepEqual(world.addresses('a/victim'), ['192.0.2.0']);
  assert.deepEqual(world.services.get('b/thief')?.metadata.annotations, {});
});

test('trust: nor does one of a namespace that is shut out, whether it stays or is deleted', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/30'), releaseCooldown: '1h' } })
    .service('a/victim')
    .settle();
  world.editGroup('default', {
    local: { ...ranges('192.0.2.0/30'), releaseCooldown: '1h' },
    namespaces: ['a'],
    enforceNamespaces: true,
  });
  world.service('b/thief', { annotations: forged, finalizers: [cleanupFinalizer] });
  world.delete('b/thief').takeEvents();
  assert.deepEqual(world.plan().pools[0]?.quarantine, []);
  world.settle();
  assert.deepEqual(world.takeEvents(), []);
  assert.deepEqual([...world.services.keys()], ['a/victim']);
});

test('what a Service had is still known when the API server has emptied its status', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/30'), releaseCooldown: '1h' } })
    .service('a/1')
    .settle()
    .changeType('a/1', 'ClusterIP');
  world.edit('a/1', { annotations: { 'allocated-by': null, 'allocated-prefixes': null } });
  assert.deepEqual(
    world.plan().pools[0]?.quarantine.map(({ ip, reason }) => `${ip} ${reason}`),
    ['192.0.2.0 Cooldown'],
  );
});
