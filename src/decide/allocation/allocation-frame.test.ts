import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameOf, isSameFrame } from './allocation-frame.ts';
import { World } from './world.fixture.ts';

/** Whether all Services stand as before after the change. */
function isSame(change: (world: World) => unknown): boolean {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1').settle();
  const before = frameOf(world.state());
  change(world);
  return isSameFrame(before, world.state());
}

test('allocations, and namespaces that come, leave everything in place', () => {
  assert.equal(
    isSame(() => {}),
    true,
  );
  assert.equal(
    isSame((world) => world.service('b/1').settle()),
    true,
  );
});

test('another group, an edit of one, a setting, or other labels of a namespace do not', () => {
  const changes: readonly ((world: World) => unknown)[] = [
    (world) => world.group('second', ['198.51.100.0/28']),
    (world) => world.editGroup('default', ['192.0.2.0/27']),
    (world) => void world.groups.clear(),
    (world) => world.namespaces.set('a', new Map([['tier', 'gold']])),
    (world) => {
      world.settings = { ...world.settings, isDefaultAnnouncer: false };
    },
    (world) => {
      world.settings = { ...world.settings, classes: ['example.com/lb'] };
    },
  ];
  assert.deepEqual(
    changes.map(isSame),
    changes.map(() => false),
  );
});
