import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

function decisionOf(world: World, key: string) {
  const decision = world.decision(key);
  assert.ok(decision.kind !== 'ignore');
  return decision;
}

test('what a Service gets, and how its pool was found, is said with the decision', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1');
  const { kind, gains, via, isChange, givesUp } = decisionOf(world, 'a/1');
  assert.deepEqual(
    { kind, gains, via, isChange, givesUp },
    {
      kind: 'assign',
      gains: ['192.0.2.0'],
      via: 'default',
      isChange: true,
      givesUp: [],
    },
  );
  const named = new World()
    .group('x', ['192.0.2.0/30'])
    .service('a/1', { annotations: { addresses: '192.0.2.1' } });
  assert.equal(decisionOf(named, 'a/1').via, 'addresses');
  const after = decisionOf(world.settle(), 'a/1');
  assert.deepEqual(
    [after.kind, after.gains, after.isChange, after.events],
    ['keep', [], false, []],
  );
});

test('an ambiguous binding is warned of with the attempt, whether it succeeds or not', () => {
  const world = new World()
    .group('x', { local: ranges('192.0.2.0/30'), namespaces: ['a'] })
    .group('y', { local: ranges('192.0.2.8/30'), namespaces: ['a'] })
    .group('default', ['198.51.100.0/32'])
    .service('a/1')
    .service('a/2')
    .settle();
  const warning =
    'ConfigurationWarning: namespace "a" is served by [x y] and none sets namespaceDefault; exactly one must; allocated from "default" instead';
  const events = world.takeEvents();
  assert.ok(events.includes(`a/1 ${warning}`) && events.includes(`a/2 ${warning}`));
  assert.match(world.condition('a/2') ?? '', /^False Exhausted/);
});

test('counts are those of what happened', () => {
  const multi = { ...ranges('192.0.2.0/32', '192.0.2.8/30'), multiPool: true };
  const world = new World()
    .group('multi', { remote: multi })
    .group('even', { remote: { ...ranges('198.51.100.0/30'), balancePools: true } })
    .service('a/1', { annotations: { 'service-group': 'multi' } })
    .service('a/2', { annotations: { 'service-group': 'multi' } })
    .service('a/3', { annotations: { 'service-group': 'even' } })
    .service('a/4', { annotations: { 'service-group': 'even', 'allow-shared-ip': 'k' } })
    .service('a/5', { annotations: { addresses: '198.51.100.3' } });
  const counts = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5'].map((key) =>
    decisionOf(world, key).counts.map(({ what, pool }) => `${what} ${pool}`),
  );
  assert.deepEqual(counts, [
    ['multipool multi'],
    ['multipool multi', 'multipoolPartial multi'],
    ['balanced even'],
    [],
    [],
  ]);
});

test('a refusal that changes is told again, one that does not is not', () => {
  const world = new World().service('a/1').settle();
  assert.deepEqual(world.takeEvents(), [
    'a/1 AllocationFailed: Failed to allocate IP for "a/1": unknown pool "default": no ServiceGroup has that name',
  ]);
  world.settle().group('default', ['2001:db8::/64']).settle();
  assert.deepEqual(world.takeEvents(), [
    'default Parsed: ServiceGroup parsed successfully',
    'a/1 AllocationFailed: Failed to allocate IP for "a/1": pool "default" has no IPv4 addresses',
  ]);
});

test('what is pending says nothing and writes nothing, but keeps what was said before', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/30'), multiPool: true } })
    .service('a/1')
    .settle();
  const before = world.condition('a/1');
  world.subnets = undefined;
  const { kind, isChange, condition } = decisionOf(world, 'a/1');
  assert.deepEqual([kind, isChange], ['pending', false]);
  assert.equal(
    condition && `${condition.status} ${condition.reason}: ${condition.message}`,
    before,
  );
});

test('a message longer than Kubernetes takes is written once, and told once', () => {
  const annotations = { 'service-group': 'ü'.repeat(40_000) };
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1', { annotations });
  const { message = '' } = decisionOf(world, 'a/1').condition ?? {};
  assert.ok(new TextEncoder().encode(message).length <= 32_768);
  assert.equal(world.settle().takeEvents().length, 2);
  const { isChange, events } = decisionOf(world, 'a/1');
  assert.deepEqual([isChange, events], [false, []]);
});
