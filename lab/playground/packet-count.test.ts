import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyCount, takeReading } from './packet-count.ts';

/** Readings of `sent received`, one each 100 ms. */
function count(...readings: readonly (readonly [number, number])[]) {
  return readings.reduce(
    (before, [sent, received]) => takeReading(before, { sent, received }, 100),
    emptyCount,
  );
}

test('each tick tells of what was sent a tick before', () => {
  const { ticks, lost, longestGapMs } = count([10, 9], [20, 19], [30, 30], [40, 38]);
  assert.deepEqual(ticks, [
    { sent: 0, answered: 0 },
    { sent: 10, answered: 10 },
    { sent: 10, answered: 10 },
    { sent: 10, answered: 10 },
  ]);
  assert.deepEqual([lost, longestGapMs], [0, 0]);
});

test('before the first answer nothing is lost', () => {
  const { ticks, lost, longestGapMs } = count([10, 0], [20, 0], [30, 5], [40, 15], [50, 25]);
  assert.deepEqual([lost, longestGapMs], [0, 0]);
  assert.deepEqual(ticks[0], { sent: 0, answered: 0 });
});

test('what is not answered a tick later is lost, and silence is a gap', () => {
  const { ticks, lost, longestGapMs } = count(
    [10, 10],
    [20, 12],
    [30, 12],
    [40, 12],
    [50, 20],
    [60, 30],
  );
  assert.deepEqual([lost, longestGapMs], [20, 200]);
  assert.deepEqual(
    ticks.map(({ sent, answered }) => sent - answered),
    [0, 0, 8, 10, 2, 0],
  );
});

test('late answers are lost for as long as they are late', () => {
  assert.equal(count([10, 10], [20, 13], [30, 20], [40, 30]).lost, 0);
});
