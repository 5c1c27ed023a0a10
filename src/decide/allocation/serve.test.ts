import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from './serve.ts';
import { World } from './world.fixture.ts';

test('I11: a group that is deleted under a Service takes nothing, and coming back restores all', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1').settle();
  const groups = new Map(world.groups);
  world.groups.clear();
  world.settle().takeEvents();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.match(world.condition('a/1') ?? '', /^True NotInPool/);
  for (const [key, group] of groups) world.groups.set(key, group);
  assert.equal(world.settle().condition('a/1'), 'True Allocated: 192.0.2.0 from pool default');
});

test('I11: a range that no longer has an address keeps it out of other hands', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1').settle();
  world.editGroup('default', ['192.0.2.1/32']).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  world.group('new', ['192.0.2.0/32']);
  world.service('a/2', { annotations: { 'service-group': 'new' } }).settle();
  assert.match(world.look()[1] ?? '', /^a\/2: Exhausted/);
  assert.equal(world.annotation('a/1', 'allocated-from'), 'new', 'it is adopted by who has it now');
});

test('a wish that cannot be read keeps what there is, and gives nothing', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1').settle();
  world.edit('a/1', { annotations: { addresses: 'x', 're-evaluate': 'true' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.match(
    world.condition('a/1') ?? '',
    /^False Refused: 192.0.2.0 from pool default; invalid/,
  );
  assert.equal(world.annotation('a/1', 're-evaluate'), undefined);
});

test('re-evaluation waits with its annotation for what is about to come free', () => {
  const world = new World()
    .group('default', ['192.0.2.0/31'])
    .service('a/1')
    .service('a/2')
    .settle();
  world.delete('a/1');
  world.edit('a/2', { annotations: { addresses: '192.0.2.0', 're-evaluate': 'true' } });
  world.step();
  assert.equal(world.annotation('a/2', 're-evaluate'), 'true');
  assert.deepEqual(world.settle().addresses('a/2'), ['192.0.2.0']);
});

test('a missing family is taken from the pool that the Service has its address from', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .group('both', ['198.51.100.0/30', '2001:db8::/126'])
    .service('a/1', { annotations: { 'service-group': 'both' } })
    .settle();
  const spec = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
  world.edit('a/1', { annotations: { 'service-group': null }, spec }).settle();
  assert.deepEqual(world.addresses('a/1'), ['198.51.100.0', '2001:db8::']);
});

test('only what changed nothing can be tried again', () => {
  const nothing = { addresses: [], additions: [], givesUp: [], missing: [], choice: undefined };
  const obstacle = {
    kind: 'refuse',
    reason: 'other',
    message: '',
    pool: '',
    waitsFor: [],
  } as const;
  assert.equal(isRefusal({ ...nothing, obstacle, isReEvaluated: false }), true);
  assert.equal(isRefusal({ ...nothing, obstacle: undefined, isReEvaluated: false }), false);
});
