import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choosePool, findPool } from './choose-pool.ts';
import { isObstacle } from './obstacle.ts';
import { ranges, type ServiceText } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

/** Which pool a Service in namespace `a` gets, and how it was found, or why none. */
function choose(groups: Readonly<Record<string, object>>, text: ServiceText = {}, namespace = 'a') {
  const world = new World().service(`${namespace}/s`, text);
  world.namespaces.set('a', new Map([['team', 'red']]));
  for (const [index, [name, scope]] of Object.entries(groups).entries()) {
    world.group(name, { local: ranges(`192.0.2.${index}/32`), ...scope });
  }
  const state = world.state();
  const [service] = state.services;
  assert.ok(service !== undefined);
  const choice = choosePool(service, state);
  if (isObstacle(choice)) return `${choice.kind} ${choice.reason}: ${choice.message}`;
  return `${choice.pool.name} by ${choice.via}${choice.warning ? `, ${choice.warning}` : ''}`;
}

const ask = (group: string): ServiceText => ({ annotations: { 'service-group': group } });
const a = { namespaces: ['a'] };
const open = {};

test('16.68: without bindings it is the group called default, or the one that is named', () => {
  assert.equal(choose({ default: open, x: open }), 'default by default');
  assert.equal(choose({ default: open, x: open }, ask('x')), 'x by annotation');
  assert.equal(
    choose({ x: open }),
    'refuse unknown_pool: unknown pool "default": no ServiceGroup has that name',
  );
  assert.equal(
    choose({ default: open }, ask('')),
    'refuse unknown_pool: unknown pool "": no ServiceGroup has that name',
  );
});

test('16.68: a namespace has its group, may leave it by name, and lets others in', () => {
  const groups = { default: open, own: a };
  assert.equal(choose(groups), 'own by namespace');
  assert.equal(choose(groups, ask('default')), 'default by annotation');
  assert.equal(choose(groups, ask('own'), 'b'), 'own by annotation');
  assert.equal(choose(groups, {}, 'b'), 'default by default');
});

test('16.68: enforcement denies both directions, and fences the sibling group', () => {
  const groups = { default: open, own: { ...a, enforceNamespaces: true }, sibling: a };
  assert.equal(
    choose(groups, ask('default')),
    'refuse namespace_denied: namespace denied: namespace "a" may only use [own sibling], not ServiceGroup "default"',
  );
  assert.equal(
    choose(groups, ask('sibling'), 'b'),
    'refuse namespace_denied: namespace denied: ServiceGroup "sibling" serves a confined namespace and does not serve "b"',
  );
  assert.equal(choose(groups, ask('sibling')), 'sibling by annotation');
  assert.equal(choose(groups, {}, 'b'), 'default by default');
});

test('16.68: an ambiguous binding is refused where enforced, and else falls back with a warning', () => {
  const reason =
    'namespace "a" is served by [x y] and none sets namespaceDefault; exactly one must';
  assert.equal(
    choose({ default: open, x: a, y: a }),
    `default by default (ambiguous binding), ${reason}; allocated from "default" instead`,
  );
  assert.equal(
    choose({ default: open, x: { ...a, enforceNamespaces: true }, y: a }),
    `refuse ambiguous_namespace_default: ambiguous namespace default: ${reason}`,
  );
});

test('16.68: an address by name does not get round the fence', () => {
  const world = new World()
    .group('own', { local: ranges('192.0.2.0/30'), namespaces: ['b'], enforceNamespaces: true })
    .group('default', ['198.51.100.0/30'])
    .service('a/1')
    .settle();
  world.edit('a/1', { annotations: { addresses: '192.0.2.1', 're-evaluate': 'true' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['198.51.100.0']);
  assert.ok(
    world
      .takeEvents()
      .includes(
        'a/1 AllocationFailed: Failed to allocate IP for "a/1": 192.0.2.1: namespace denied: ServiceGroup "own" serves a confined namespace and does not serve "a"',
      ),
  );
});

test('6.3: scoping is never retroactive', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1').settle();
  const local = ranges('192.0.2.0/30');
  world.editGroup('default', { local, namespaces: ['b'], enforceNamespaces: true }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.match(world.condition('a/1') ?? '', /^True Allocated/);
});

const service = { serviceSelector: { matchLabels: { app: 'web' } } };
const team = { namespaceSelector: { matchLabels: { team: 'red' } } };
const web = { labels: { app: 'web' } };

test('K1: groups that select by labels come first, the more particular before others', () => {
  assert.equal(choose({ default: open, x: service }, web), 'x by selector');
  assert.equal(choose({ default: open, x: service }), 'default by default');
  assert.equal(
    choose({ default: open, x: service, y: { ...service, ...team } }, web),
    'y by selector',
  );
  assert.equal(choose({ own: a, x: team }), 'x by selector');
  assert.equal(choose({ default: open, x: { ...team, namespaces: ['b'] } }), 'default by default');
});

test('K1: among groups that match alike the higher priority wins, then the oldest', () => {
  assert.equal(choose({ x: service, y: team }, web), 'x by selector');
  assert.equal(choose({ x: service, y: { ...team, priority: 1 } }, web), 'y by selector');
  assert.equal(choose({ default: open, x: { priority: 1 }, y: { priority: 2 } }), 'y by priority');
  assert.equal(choose({ default: { priority: 2 }, x: { priority: 2 } }), 'default by default');
  assert.equal(
    choose({ x: { priority: 1, autoAssign: false } }),
    'refuse unknown_pool: unknown pool "default": no ServiceGroup has that name',
  );
});

test('K1: a group that is used up is not passed over for the next that matches', () => {
  const world = new World()
    .group('first', { local: ranges('192.0.2.0/32'), ...service, priority: 1 })
    .group('second', { local: ranges('198.51.100.0/32'), ...service })
    .group('default', ['203.0.113.0/30'])
    .service('a/1', web)
    .service('a/2', web)
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: 192.0.2.0',
    'a/2: Exhausted, pool "first" exhausted: no available addresses for a/2',
  ]);
});

test('K1: autoAssign false gives only to those who ask by name', () => {
  const groups = { default: { autoAssign: false }, x: { ...service, autoAssign: false } };
  assert.match(choose(groups, web), /^refuse not_selected: .*sets autoAssign: false/);
  assert.equal(choose(groups, { ...web, ...ask('x') }), 'x by annotation');
});

test('K1: a group that is named must select the Service all the same', () => {
  assert.match(choose({ x: service }, ask('x')), /^refuse not_selected: .*serviceSelector$/);
  assert.match(choose({ x: team }, ask('x'), 'b'), /^refuse not_selected: .*namespaceSelector$/);
});

test('a namespace whose labels are not known yet is waited for', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .group('x', { local: ranges('198.51.100.0/30'), ...team })
    .service('a/s');
  world.namespaces.clear();
  assert.deepEqual(world.settle().look(), ['a/s: pending namespace']);
  world.namespaces.set('a', new Map([['team', 'red']]));
  assert.deepEqual(world.settle().look(), ['a/s: 198.51.100.0']);
});

test('a pool is found by name with the reason why not', () => {
  const world = new World().group('x', ['192.0.2.0/30']).group('bad', ['1']).service('a/s');
  const state = world.state();
  const find = (name: string) => {
    const [own] = state.services;
    const found = own === undefined ? { name: '' } : findPool(own, name, state);
    return isObstacle(found) ? found.message : found.name;
  };
  assert.deepEqual(['x', 'bad', 'none'].map(find), [
    'x',
    'no usable pool: ServiceGroup "bad" failed to parse',
    'unknown pool "none": no ServiceGroup has that name',
  ]);
});
