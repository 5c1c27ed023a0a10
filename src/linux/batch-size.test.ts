import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatchSize } from './batch-size.ts';

function after(...millis: readonly number[]): number {
  const size = new BatchSize();
  for (const elapsed of millis) size.adapt(elapsed);
  return size.current;
}

test('grows while the kernel is quick, to 64 at most', () => {
  assert.deepEqual([after(), after(0.2), after(0.2, 0.4), after(0, 0, 0, 0)], [16, 32, 64, 64]);
});

test('shrinks to what fits one turn, to 4 at least', () => {
  assert.deepEqual([after(10), after(10, 5), after(10_000)], [8, 8, 4]);
});

test('recovers', () => {
  assert.equal(after(10_000, 0.1, 0.1, 0.1, 0.1), 64);
});
