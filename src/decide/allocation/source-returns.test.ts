import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { cleanupFinalizer } from '../../model/well-known-names.ts';
import { familiesAtSource, findReturns, returnKey } from './source-returns.ts';
import { World } from './world.fixture.ts';

const ask = { annotations: { 'service-group': 'ext' } };

function external(): World {
  return new World()
    .group('ext', { external: { provider: 'acme', announce: 'remote' } })
    .group('own', ['192.0.2.0/30'])
    .service('a/1', ask);
}

function give(world: World, ...texts: readonly string[]): World {
  world.answers.set('a/1', { pool: 'ext', addresses: texts.map(prefixOf), failures: [] });
  world.settle().answers.clear();
  return world;
}

/** What of a Service tells whoever leads next that a source may have something for it. */
function marks(world: World): readonly unknown[] {
  const { annotations = {}, finalizers = [] } = world.services.get('a/1')?.metadata ?? {};
  return [
    annotations['purelb.io/allocated-by'],
    annotations['purelb.io/allocated-from'],
    finalizers,
  ];
}

const marked = ['PureLB', 'ext', [cleanupFinalizer]];

test('a Service is marked before its source is asked, and stays so while it waits or is refused', () => {
  const world = external().settle();
  assert.deepEqual(marks(world), marked);
  assert.deepEqual(world.addresses('a/1'), []);
  const failures = [{ family: 'ipv4', reason: 'exhausted', message: 'is full' }] as const;
  world.answers.set('a/1', { pool: 'ext', addresses: [], failures });
  world.settle();
  assert.deepEqual(marks(world), marked);
  assert.equal(world.condition('a/1'), 'False Exhausted: acme is full');
});

test('deletion: nobody announces, then the source takes it back, then the Service is let go', () => {
  const world = give(external(), '203.0.113.7/24');
  world.takeEvents();
  world.delete('a/1').settle();
  assert.deepEqual(world.addresses('a/1'), []);
  assert.deepEqual(marks(world), marked);
  const [service] = world.state().services;
  assert.deepEqual(service?.grant.record, { ips: ['203.0.113.7'], pools: ['ext'] });
  const decision = world.decision('a/1');
  assert.ok(decision.kind === 'release');
  assert.deepEqual(decision.waitsFor, [{ kind: 'return', pool: 'ext' }]);
  assert.deepEqual(world.takeEvents(), []);
  world.returned.add(returnKey('uid-3', 'ext'));
  world.settle();
  assert.equal(world.services.size, 0);
  assert.deepEqual(world.takeEvents(), ['a/1 AddressReleased: Service is being deleted']);
});

test('a Service that is deleted while its source is asked goes the same way', () => {
  const world = external().settle().delete('a/1').settle();
  assert.deepEqual(marks(world), marked);
  world.returned.add(returnKey('uid-3', 'ext'));
  assert.equal(world.settle().services.size, 0);
});

test('a Service that is no load balancer any more keeps its marks until the source has it back', () => {
  const world = give(external(), '203.0.113.7/24').changeType('a/1', 'ClusterIP').settle();
  assert.deepEqual(marks(world), marked);
  world.returned.add(returnKey('uid-3', 'ext'));
  world.settle();
  assert.deepEqual(marks(world), [undefined, undefined, []]);
});

test('a Service that goes to another group names both until the first has everything back', () => {
  const world = give(external(), '203.0.113.7/24');
  world.edit('a/1', { annotations: { 'service-group': 'own', 're-evaluate': 'true' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.equal(world.annotation('a/1', 'allocated-from'), 'own, ext');
  const decision = world.decision('a/1');
  assert.ok(decision.kind === 'keep');
  assert.deepEqual(decision.waitsFor, [{ kind: 'return', pool: 'ext' }]);
  world.returned.add(returnKey('uid-3', 'ext'));
  assert.equal(world.settle().annotation('a/1', 'allocated-from'), 'own');
});

test('a group that is gone is not waited for', () => {
  const world = give(external(), '203.0.113.7/24');
  world.groups.delete('purelb-system/ext');
  assert.equal(world.delete('a/1').settle().services.size, 0);
});

test('only what is marked as ours goes back', () => {
  const world = external().settle();
  const [service] = world.state().services;
  assert.ok(service !== undefined);
  assert.deepEqual(
    findReturns(service, () => false, world.state()),
    ['ext'],
  );
  assert.deepEqual(
    findReturns(service, () => true, world.state()),
    [],
  );
  const foreign = { ...service, grant: { ...service.grant, isOurs: false } };
  assert.deepEqual(
    findReturns(foreign, () => false, world.state()),
    [],
  );
});

test('a source may have an address in each family that the Service has, had, or is of', () => {
  const world = give(external(), '203.0.113.7/24');
  const [service] = world.state().services;
  assert.ok(service !== undefined);
  assert.deepEqual(familiesAtSource(service), ['ipv4']);
  const grant = {
    ...service.grant,
    ingress: [],
    record: { ips: [ipOf('2001:db8::1')], pools: [] },
  };
  assert.deepEqual(familiesAtSource({ ...service, grant }), ['ipv4', 'ipv6']);
  const bare = { ...service, families: [], grant: { ...grant, record: undefined } };
  assert.deepEqual(familiesAtSource(bare), ['ipv4']);
});

test('trust: what is recorded under a sharing key is returned only by those that had a part in it', () => {
  const world = give(external(), '203.0.113.7/24');
  const key = { 'allow-shared-ip': 'front' };
  const forged = { ...key, 'allocated-by': 'PureLB', 'allocated-from': 'ext' };
  world.edit('a/1', { annotations: key }).settle();
  world.service('b/thief', { type: 'ClusterIP', annotations: forged });
  const thief = world.state().services.find(({ key: name }) => name === 'b/thief');
  const owner = world.state().services.find(({ key: name }) => name === 'a/1');
  assert.ok(thief !== undefined && owner !== undefined);
  const find = (service: typeof thief) => findReturns(service, () => false, world.state());
  assert.deepEqual([find(thief), find(owner)], [[], ['ext']]);
});
