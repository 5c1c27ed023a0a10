import assert from 'node:assert/strict';
import { test } from 'node:test';
import { humanDuration, since } from './human-duration.ts';

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

test('an age is told in at most two units, and coarser the longer ago', () => {
  const ages: readonly (readonly [number, string])[] = [
    [-3 * s, '<invalid>'],
    [-1500, '0s'],
    [999, '0s'],
    [119 * s, '119s'],
    [2 * m, '2m'],
    [9 * m + 59 * s, '9m59s'],
    [10 * m + 30 * s, '10m'],
    [179 * m, '179m'],
    [3 * h, '3h'],
    [7 * h + 5 * m, '7h5m'],
    [47 * h, '47h'],
    [2 * d, '2d'],
    [7 * d + 3 * h, '7d3h'],
    [400 * d, '400d'],
    [730 * d, '2y'],
    [800 * d, '2y70d'],
    [3650 * d, '10y'],
  ];
  assert.deepEqual(
    ages.map(([ms]) => humanDuration(ms)),
    ages.map(([, text]) => text),
  );
});

test('a time that is missing is unknown', () => {
  assert.equal(since('', 0), '<unknown>');
  assert.equal(since('1970-01-01T00:00:00Z', 5000), '5s');
});
