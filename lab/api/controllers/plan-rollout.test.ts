import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planRollout, type Rollout, type RolloutSet, resolveShare } from './plan-rollout.ts';

const set = (name: string, wanted: number, available = wanted): RolloutSet => ({
  name,
  wanted,
  available,
  existing: wanted,
});

const plan = (rollout: Partial<Rollout>) =>
  Object.fromEntries(
    planRollout({
      replicas: 3,
      isRecreated: false,
      maxSurge: 1,
      maxUnavailable: 0,
      current: set('new', 0),
      old: [],
      ...rollout,
    }),
  );

test('a rolling update adds one, and takes one away only for one that is available', () => {
  assert.deepEqual(plan({ old: [set('old', 3)] }), { new: 1, old: 3 });
  assert.deepEqual(plan({ current: set('new', 1, 0), old: [set('old', 3)] }), { new: 1, old: 3 });
  assert.deepEqual(plan({ current: set('new', 1), old: [set('old', 3)] }), { new: 1, old: 2 });
  assert.deepEqual(plan({ current: set('new', 1), old: [set('old', 2)] }), { new: 2, old: 2 });
  assert.deepEqual(plan({ current: set('new', 3), old: [set('old', 1)] }), { new: 3, old: 0 });
});

test('what does not work is replaced first', () => {
  const old = [set('broken', 1, 0), set('old', 3)];
  assert.deepEqual(plan({ old }), { new: 0, broken: 0, old: 3 });
});

test('more replicas than wanted are taken away', () => {
  assert.deepEqual(plan({ current: set('new', 5) }), { new: 3 });
});

test('recreation waits until the old pods are gone', () => {
  const recreate = (old: RolloutSet) => plan({ isRecreated: true, old: [old] });
  assert.deepEqual(recreate(set('old', 3)), { new: 0, old: 0 });
  assert.deepEqual(recreate({ ...set('old', 0), existing: 1 }), { new: 0, old: 0 });
  assert.deepEqual(recreate(set('old', 0)), { new: 3, old: 0 });
});

test('shares are rounded up for a surge and down for what may be missing', () => {
  assert.equal(resolveShare('25%', 3, 'up'), 1);
  assert.equal(resolveShare('25%', 3, 'down'), 0);
  assert.equal(resolveShare(2, 3, 'down'), 2);
});

test('a rollout ends with new pods alone, and keeps its promises on the way', () => {
  const numbers = fc.record({
    replicas: fc.integer({ min: 1, max: 12 }),
    maxSurge: fc.integer({ min: 0, max: 4 }),
    maxUnavailable: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(numbers, ({ replicas, maxSurge, maxUnavailable }) => {
      let current = set('new', 0);
      let old = set('old', replicas);
      for (let step = 0; step < 100; step += 1) {
        const rollout = { replicas, maxSurge, maxUnavailable, current, old: [old] };
        const next = planRollout({ ...rollout, isRecreated: false });
        // New pods become available by the next step.
        current = { ...set('new', next.get('new') ?? 0), available: current.wanted };
        old = set('old', next.get('old') ?? 0);
        assert.ok(current.wanted + old.wanted <= replicas + maxSurge);
        assert.ok(
          Math.min(current.available, current.wanted) + old.wanted >= replicas - maxUnavailable,
        );
      }
      assert.deepEqual([current.wanted, old.wanted], [replicas, 0]);
    }),
  );
});
