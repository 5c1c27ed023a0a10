import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyCount, takeReading } from './packet-count.ts';

/** Readings of `sent received lost`. */
function count(...readings: readonly (readonly [number, number, number])[]) {
  return readings.reduce(
    (before, [sent, received, lost]) =>
      takeReading(before, { sent, received, lost, longestOutageMs: lost * 10 }),
    emptyCount,
  );
}

test('each tick is what was sent, without what was given up meanwhile', () => {
  const { ticks } = count([10, 10, 0], [20, 18, 0], [30, 18, 4], [40, 28, 12], [50, 38, 12]);
  assert.deepEqual(
    ticks.map(({ sent, answered }) => [sent, answered]),
    [
      [10, 10],
      [10, 10],
      [10, 6],
      [10, 2],
      [10, 10],
    ],
  );
});

test('before the first answer there is nothing to show', () => {
  assert.deepEqual(count([10, 0, 0], [20, 5, 0]).ticks, [
    { sent: 0, answered: 0 },
    { sent: 10, answered: 10 },
  ]);
});

test('losses are settled once all has been answered for a while', () => {
  const lossy = [
    [10, 10, 0],
    [20, 10, 5],
    [30, 20, 9],
  ] as const;
  const calm = [
    [40, 30, 9],
    [50, 40, 9],
    [60, 50, 9],
    [70, 60, 9],
  ] as const;
  assert.equal(count(...lossy, ...calm.slice(0, 3)).settledLost, 0);
  assert.equal(count(...lossy, ...calm).settledLost, 9);
});
