import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quantile } from './quantile.ts';

test('the middle, the highest, and nothing of nothing', () => {
  assert.deepEqual([quantile([3, 1, 2], 0.5), quantile([3, 1, 2], 0.99)], [2, 3]);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});
