import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocate } from './allocate.ts';
import { AllocationMemory } from './allocation-memory.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

function settledWorld(): World {
  const world = new World().group('default', ['192.0.2.0/28', '2001:db8::/64']);
  for (const name of '123') world.service(`a/${name}`, { families: ['IPv4', 'IPv6'] });
  return world.settle();
}

/** Whether each decision of a second plan is the very one of the first. */
function remembered(first: World, change: (world: World) => unknown): readonly boolean[] {
  const memory = new AllocationMemory();
  const before = allocate(first.state(), memory).decisions;
  change(first);
  const state = first.state();
  const after = allocate(state, memory);
  assert.deepEqual(after, allocate(state));
  return after.decisions.map((decision) => before.includes(decision));
}

test('of Services to which nothing happened the decision is remembered', () => {
  assert.deepEqual(
    remembered(settledWorld(), () => {}),
    [true, true, true],
  );
  const edited = remembered(settledWorld(), (world) => {
    world.edit('a/2', { annotations: { 'service-group': 'x' } }).service('a/4');
  });
  assert.deepEqual(edited, [true, false, true, false]);
});

test('that a group counts its addresses anew is no reason to forget, an edit of it is', () => {
  const counted = (world: World) => {
    const key = 'purelb-system/default';
    const object = world.groups.get(key);
    assert.ok(object !== undefined);
    world.groups.set(key, { ...object, metadata: { ...object.metadata, resourceVersion: '9' } });
  };
  assert.deepEqual(remembered(settledWorld(), counted), [true, true, true]);
  const edited = (world: World) => world.editGroup('default', ['192.0.2.0/27', '2001:db8::/64']);
  assert.deepEqual(remembered(settledWorld(), edited), [false, false, false]);
});

test('a setting, a conflict or someone else on the address makes it be looked at again', () => {
  const setting = (world: World) => {
    world.settings = { ...world.settings, isDefaultAnnouncer: false };
  };
  assert.deepEqual(remembered(settledWorld(), setting), [false, false, false]);
  const intruder = (world: World) =>
    world.service('b/1', { class: 'example.com/lb', ingress: [{ ip: '192.0.2.1' }] });
  assert.deepEqual(remembered(settledWorld(), intruder), [false, true, false, true]);
  const conflict = (world: World) =>
    world.edit('a/3', {
      annotations: { conflict: '192.0.2.2,02:00:5e:10:00:01,n,2026-01-01T00:00:00Z' },
    });
  assert.deepEqual(remembered(settledWorld(), conflict), [true, true, false]);
});

test('a namespace that gets other labels makes its Services be looked at again', () => {
  const gold = { namespaceSelector: { matchLabels: { tier: 'gold' } } };
  const world = new World()
    .group('default', ['192.0.2.0/28'])
    .group('special', { local: ranges('198.51.100.0/28'), ...gold })
    .service('a/1')
    .settle();
  world.settings = { ...world.settings, convergesUnasked: true };
  const relabelled = (changed: World) => changed.namespaces.set('a', new Map([['tier', 'gold']]));
  assert.deepEqual(remembered(world, relabelled), [false]);
});

test('what depends on more than the Service itself is not remembered', () => {
  const world = new World()
    .group('default', { remote: { ...ranges('192.0.2.0/28', '198.51.100.0/28'), multiPool: true } })
    .group('plain', ['203.0.113.0/28'])
    .service('a/multi')
    .service('a/shared', { annotations: { 'allow-shared-ip': 'k', 'service-group': 'plain' } })
    .service('a/named', { annotations: { addresses: '203.0.113.9' } })
    .service('a/none', { annotations: { 'service-group': 'none' } })
    .settle();
  assert.deepEqual(
    remembered(world, () => {}),
    [false, false, false, false],
  );
});
