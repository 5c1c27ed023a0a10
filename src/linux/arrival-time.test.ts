import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrivalTime } from './arrival-time.ts';

test('a frame arrived as long ago as it is old', () => {
  assert.equal(arrivalTime({ now: 1000, age: 30, emptyAt: 900 }), 970);
});

test('no frame arrived before the socket was last empty', () => {
  assert.equal(arrivalTime({ now: 1000, age: 101, emptyAt: 900 }), 900);
});

test('with a wall clock set forward a frame arrived now, and is an answer to what was asked before', () => {
  assert.equal(arrivalTime({ now: 1000, age: 3_600_000, emptyAt: 900 }), 1000);
});

test('a wall clock set back makes no frame arrive in the future', () => {
  assert.equal(arrivalTime({ now: 1000, age: -3_600_000, emptyAt: 900 }), 1000);
});
