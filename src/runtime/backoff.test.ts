import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Backoff, backoffDelay, defaultBackoff } from './backoff.ts';

const plain: Backoff = { firstMs: 100, factor: 2, longestMs: 1_500, jitter: 0.5 };

test('each failure doubles the wait up to the longest', () => {
  const delays = [1, 2, 3, 4, 5, 6, 5_000].map((count) => backoffDelay(plain, count, () => 0));
  assert.deepEqual(delays, [100, 200, 400, 800, 1_500, 1_500, 1_500]);
});

test('chance only shortens the wait, by no more than its share', () => {
  assert.equal(
    backoffDelay(plain, 1, () => 0.999),
    50.05,
  );
  fc.assert(
    fc.property(fc.nat(100), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
      const longest = backoffDelay(defaultBackoff, failures, () => 0);
      const delay = backoffDelay(defaultBackoff, failures, () => chance);
      assert.ok(delay <= longest && delay >= longest * (1 - defaultBackoff.jitter));
    }),
  );
});
