import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allocate } from './allocate.ts';
import { AllocationMemory } from './allocation-memory.ts';
import type { Decision } from './allocation-plan.ts';
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
  const isUndone = (each: Decision) =>
    each.kind !== 'ignore' && (each.isChange || each.waitsFor.length > 0);
  assert.deepEqual(after.undone, after.decisions.filter(isUndone));
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
  const conflict = (world: World) => world.report('192.0.2.2');
  assert.deepEqual(remembered(settledWorld(), conflict), [true, true, false]);
});

test('an address that a group says is in conflict makes its holder be looked at again', () => {
  const quarantined = (world: World) => {
    const key = 'purelb-system/default';
    const object = world.groups.get(key);
    assert.ok(object !== undefined);
    const entry = { address: '192.0.2.1', until: '2026-01-01T01:00:00Z', reason: 'Conflict' };
    const status = { ...(object.status as object), quarantine: [entry] };
    world.groups.set(key, { ...object, status });
  };
  assert.deepEqual(remembered(settledWorld(), quarantined), [true, false, true]);
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

test('where someone settled was, others are given addresses, and the lowest again', () => {
  const world = settledWorld();
  world.delete('a/1').settle();
  world.service('b/1', { families: ['IPv4', 'IPv6'] }).settle();
  world.service('b/2', { families: ['IPv4', 'IPv6'] }).settle();
  assert.deepEqual(world.addresses('b/1'), ['192.0.2.0', '2001:db8::']);
  assert.deepEqual(world.addresses('b/2'), ['192.0.2.3', '2001:db8::3']);
});

test('a cool-down ends for the settled too: what they hold again is in no quarantine', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/32'), reserveFor: '1h' } })
    .service('a/1')
    .settle();
  world.delete('a/1').settle().service('a/1').settle().settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.equal(world.groupStatus('default').quarantine, undefined);
});

test('a plan that failed leaves nothing behind', () => {
  const world = settledWorld();
  const memory = new AllocationMemory();
  allocate(world.state(), memory);
  const state = world.service('a/4').state();
  const broken = new Proxy(state, {
    get: (target, name) => {
      if (name === 'lostHolders') throw new Error('broken');
      return Reflect.get(target, name);
    },
  });
  assert.throws(() => allocate(broken, memory), /broken/);
  assert.deepEqual(allocate(state, memory), allocate(state));
});

/** Each step changes one Service; steps are checked by the world itself against a plan from nothing. */
const steps = fc.array(
  fc.record({
    name: fc.constantFrom('1', '2', '3', '4', '5', '6'),
    what: fc.constantFrom('make', 'delete', 'type', 'share', 'name', 'steal', 'conflict', 'time'),
    other: fc.nat(7),
  }),
  { maxLength: 40 },
);

type Step = { readonly name: string; readonly what: string; readonly other: number };

function change(world: World, { name, what, other }: Step): void {
  const key = `a/${name}`;
  const ip = `192.0.2.${other}`;
  const wishes: Readonly<Record<string, Record<string, string>>> = {
    share: { 'allow-shared-ip': `${other % 2}` },
    name: { addresses: ip },
  };
  const annotations = wishes[what];
  if (what === 'time') world.now += 20_000;
  else if (what === 'conflict') world.report(ip);
  else if (!world.services.has(key)) world.service(key, what === 'steal' ? theirs(ip) : {});
  else if (annotations !== undefined) world.edit(key, { annotations });
  else if (what === 'delete') world.delete(key);
  else world.changeType(key, other > 3 ? 'ClusterIP' : 'LoadBalancer');
}

const theirs = (ip: string) => ({ class: 'example.com/lb', ingress: [{ ip }] });

test('what is remembered makes no difference, whatever happens', () => {
  const local = { ...ranges('192.0.2.0/29'), releaseCooldown: '30s' };
  fc.assert(
    fc.property(steps, (history) => {
      const world = new World().group('default', { local });
      for (const step of history) {
        change(world, step);
        world.step();
        world.step();
      }
    }),
  );
});
