import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeConditions } from './merge-conditions.ts';

const now = Date.UTC(2026, 0, 1);
const allocated = { type: 'Allocated', status: 'True', reason: 'Allocated', message: 'x' } as const;
const written = { ...allocated, lastTransitionTime: '2026-01-01T00:00:00Z' };
const foreign = { type: 'Theirs', status: 'True', odd: { deep: 1 } };

const merge = (present: unknown, wanted = [allocated], at = now) =>
  mergeConditions(present, wanted, ['Allocated', 'Announced'], at);

test('ours is added after those of others, which stay as they are', () => {
  assert.deepEqual(merge([foreign]), [foreign, written]);
  assert.deepEqual(merge(undefined), [written]);
  assert.deepEqual(merge('nonsense'), [written]);
});

test('what says the same already is not written, however late', () => {
  assert.equal(merge([foreign, written], [allocated], now + 5000), undefined);
  assert.equal(merge([], []), undefined);
  assert.equal(merge(undefined, []), undefined);
});

test('the time of transition changes with the status alone', () => {
  const reworded = { ...allocated, message: 'y' };
  assert.deepEqual(merge([written], [reworded as never], now + 5000), [
    { ...written, message: 'y' },
  ]);
  const failed = { ...allocated, status: 'False' };
  assert.deepEqual(merge([written], [failed as never], now + 5000), [
    { ...written, status: 'False', lastTransitionTime: '2026-01-01T00:00:05Z' },
  ]);
});

test('those of ours that are not wanted go', () => {
  assert.deepEqual(merge([written, foreign, { type: 'Announced' }], []), [foreign]);
});

test('the generation is written where there is one, and a message is cut to the bytes that Kubernetes takes', () => {
  const [condition] =
    mergeConditions(
      [],
      [{ ...allocated, observedGeneration: 4, message: 'ü'.repeat(20_000) }],
      [],
      now,
    ) ?? [];
  const { observedGeneration, message } = condition as {
    observedGeneration: number;
    message: string;
  };
  assert.equal(observedGeneration, 4);
  assert.equal(message, `${'ü'.repeat(16_382)}…`);
});
