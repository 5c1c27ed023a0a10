import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOutOfScope, kindOfGroup } from './group-scope.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

function scoped(world: World) {
  const groups = world.state().pools.verdicts.map(({ group }) => group);
  const { outOfScope, scope } = findOutOfScope(groups, world.installNamespace);
  return { outside: [...outOfScope.keys()].map(({ identity }) => identity.name), scope };
}

test('16.78: only groups of the install namespace count', () => {
  const world = new World()
    .group('in', ['192.0.2.0/28'])
    .group('out', ['198.51.100.0/28'], 'other');
  assert.deepEqual(scoped(world), { outside: ['out'], scope: 'installNamespace' });
});

test('16.78: an unknown namespace leaves out nothing, and neither does one without groups', () => {
  const world = new World().group('a', ['192.0.2.0/28'], 'x').group('b', ['198.51.100.0/28'], 'y');
  assert.deepEqual(scoped(world), { outside: [], scope: 'installNamespaceSuspect' });
  world.installNamespace = '';
  assert.deepEqual(scoped(world), { outside: [], scope: 'installNamespaceUnknown' });
  assert.deepEqual(scoped(new World()), { outside: [], scope: 'installNamespace' });
});

test('the owner of a group that is left out is told what that means and what to do', () => {
  const world = new World()
    .group('in', ['192.0.2.0/28'])
    .group('local', ['198.51.100.0/28'], 'other')
    .group('remote', { remote: ranges('203.0.113.0/28') }, 'other');
  const groups = world.state().pools.verdicts.map(({ group }) => group);
  const told = [...findOutOfScope(groups, 'purelb-system').outOfScope.values()];
  assert.match(told[0] ?? '', /this local group is ignored .*its pool is not allocatable; copy it/);
  assert.match(told[1] ?? '', /addresses allocated from it are withdrawn from every node/);
  assert.match(told[1] ?? '', /kubectl get servicegroup remote -n other/);
});

test('what kind a group is', () => {
  const world = new World()
    .group('a', ['192.0.2.0/28'])
    .group('b', { remote: ranges('203.0.113.0/28') })
    .group('c', { external: { provider: 'x' } })
    .group('d', { netbox: { url: 'https://netbox.example', tenant: 't' } })
    .group('e', ['nonsense']);
  const kinds = world.state().pools.verdicts.map(({ group }) => kindOfGroup(group));
  assert.deepEqual(kinds, ['local', 'remote', 'external', 'netbox', 'unknown']);
});
