import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Condition, removeCondition, setCondition } from './condition.ts';

const nine = Date.UTC(2026, 10, 15, 9, 0, 0, 123);
const ten = Date.UTC(2026, 10, 15, 10);
const allocated = { type: 'Allocated', status: 'True', reason: 'Ok', message: 'given' } as const;
const foreign: Condition = {
  type: 'Foreign',
  status: 'Unknown',
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

test('a new condition comes after the others, with the time in whole seconds', () => {
  assert.deepEqual(setCondition([foreign], allocated, nine), [
    foreign,
    { ...allocated, lastTransitionTime: '2026-11-15T09:00:00Z' },
  ]);
});

test('the same again gives back the very same list', () => {
  const first = setCondition([], allocated, nine);
  assert.equal(setCondition(first, allocated, ten), first);
});

test('the time changes with the status, not with the words', () => {
  const first = setCondition([], allocated, nine);
  const reworded = setCondition(first, { ...allocated, message: 'given anew' }, ten);
  assert.deepEqual(reworded, [
    { ...allocated, message: 'given anew', lastTransitionTime: '2026-11-15T09:00:00Z' },
  ]);
  const failed = setCondition(reworded, { ...allocated, status: 'False' }, ten);
  assert.deepEqual(failed, [
    { ...allocated, status: 'False', lastTransitionTime: '2026-11-15T10:00:00Z' },
  ]);
});

test('an observed generation is a change, and removing takes one condition away', () => {
  const first = setCondition([foreign], allocated, nine);
  assert.notEqual(setCondition(first, { ...allocated, observedGeneration: 2 }, ten), first);
  assert.deepEqual(removeCondition(first, 'Allocated'), [foreign]);
  assert.equal(removeCondition(first, 'Other'), first);
});

test('a message is cut to the bytes that the API server takes, and is the same the next time', () => {
  const long = { ...allocated, message: `a${'€'.repeat(11_000)}` };
  const first = setCondition([], long, nine);
  assert.equal(Buffer.byteLength(first[0]?.message ?? ''), 32_767);
  assert.equal(setCondition(first, long, ten), first);
});
