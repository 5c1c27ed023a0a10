import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lateness } from './lateness.ts';

const nothing = { mean: 0, p99: 0, max: 0 };

test('nothing ran late where nothing ran', () => {
  assert.deepEqual(new Lateness().take(), nothing);
});

test('what ran since the last reading is told, once', () => {
  const lateness = new Lateness();
  for (let count = 0; count < 98; count += 1) lateness.note(0);
  lateness.note(250);
  lateness.note(250);
  const { mean, p99, max } = lateness.take();
  assert.ok(Math.abs(mean - 0.005) < 0.0001, `mean ${mean}`);
  assert.deepEqual([p99.toFixed(2), max.toFixed(2)], ['0.25', '0.25']);
  assert.deepEqual(lateness.take(), nothing);
});

test('a timer that ran a fraction too early, or a day too late, is counted as far as that goes', () => {
  const lateness = new Lateness();
  lateness.note(-0.4);
  assert.ok(lateness.take().max <= 0.000_001);
  lateness.note(86_400_000);
  assert.ok(lateness.take().max >= 3_500);
});
