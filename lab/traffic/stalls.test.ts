import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StallWatch, spanOf, stalledMs } from './stalls.ts';

test('a turn that comes too late is a stall, from the turn before', () => {
  const watch = new StallWatch(20);
  for (const now of [100, 101, 121, 150, 151]) watch.turn(now);
  assert.deepEqual(watch.stalls, [{ from: 121, to: 150, ms: 29 }]);
});

test('stalled time is counted as far as it overlaps', () => {
  const stalls = [spanOf(10, 20), spanOf(30, 40)];
  const overlap = (from: number, to: number) => stalledMs(stalls, from, to);
  assert.deepEqual(
    [overlap(0, 5), overlap(0, 100), overlap(12, 18), overlap(15, 35), overlap(20, 30)],
    [0, 20, 6, 10, 0],
  );
});
