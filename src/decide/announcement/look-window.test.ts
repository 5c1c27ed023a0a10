import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstWindow, type LookWindow, resizeWindow, shareBudget } from './look-window.ts';

const sizes = (steps: readonly [taken: number, at: number][]) => {
  let window: LookWindow = { ...firstWindow, since: 0 };
  return steps.map(([taken, at]) => {
    window = resizeWindow(window, taken, at);
    return window.size;
  });
};

test('the window doubles while it is being used up, to a bound, and shrinks in calm', () => {
  const burst = [4, 10, 20, 40, 80].map((taken, index): [number, number] => [taken, index]);
  assert.deepEqual(sizes(burst), [16, 32, 64, 128, 128]);
  const calm = [10_004, 20_004, 30_004, 40_004, 50_004].map((at): [number, number] => [0, at]);
  assert.deepEqual(sizes([...burst, ...calm]).slice(5), [64, 32, 16, 8, 8]);
});

test('a Service now and then leaves the window as it is', () => {
  const steps = Array.from({ length: 20 }, (_, index): [number, number] => [1, index * 10_000]);
  assert.deepEqual([...new Set(sizes(steps))], [8]);
});

test('few at a time count together', () => {
  assert.deepEqual(sizes([1, 2, 3, 4].map((at) => [1, at])), [8, 8, 8, 16]);
});

test('in calm all pools of a cluster together have at most 64 addresses looked at', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), (count) => {
      const lanes = Array.from({ length: count }, () => ({ window: { ...firstWindow } }));
      const shares = [...shareBudget(lanes).values()];
      const sum = shares.reduce((left, right) => left + right, 0);
      assert.ok(sum <= 64 && shares.every((share) => share >= 1 && share <= 8));
      assert.ok(count > 8 || sum === 8 * count, 'few pools get all they want');
    }),
  );
});

test('a pool in a burst gets its share before pools in calm', () => {
  const calm = Array.from({ length: 200 }, () => ({ window: firstWindow }));
  const busy = { window: { ...firstWindow, size: 64 } };
  assert.equal(shareBudget([...calm, busy]).get(busy), 64);
});
