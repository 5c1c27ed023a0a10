import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longestSleep } from './longest-sleep.ts';

test('looking takes a thousandth of the time at most, and comes every few minutes at least', () => {
  const sleeps = [0, 10, 30, 70, 300, 5_000].map(longestSleep);
  assert.deepEqual(sleeps, [30_000, 30_000, 30_000, 70_000, 300_000, 300_000]);
});
