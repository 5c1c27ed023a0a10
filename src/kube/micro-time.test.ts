import assert from 'node:assert/strict';
import { test } from 'node:test';
import { microTime } from './micro-time.ts';

test('a MicroTime has exactly six digits after the point', () => {
  assert.equal(microTime(Date.UTC(2026, 10, 15, 9, 8, 7, 60)), '2026-11-15T09:08:07.060000Z');
  assert.equal(microTime(0), '1970-01-01T00:00:00.000000Z');
});
