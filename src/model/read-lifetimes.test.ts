import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { must } from './parsed.ts';
import { readLifetimes } from './read-lifetimes.ts';

const readLocal = (localInterface: unknown) =>
  must(read({ localInterface }, readLifetimes)).localLifetime;

test('lifetimes are clamped as upstream clamps them', () => {
  const rows = [
    [{}, 300, 300],
    [{ validLifetime: 600 }, 600, 600],
    [{ validLifetime: 30 }, 60, 60],
    [{ validLifetime: 600, preferredLifetime: 100 }, 600, 100],
    [{ validLifetime: 600, preferredLifetime: 900 }, 600, 600],
    [{ validLifetime: 600, preferredLifetime: 0 }, 600, 0],
    [{ preferredLifetime: 100 }, 300, 100],
    [{ validLifetime: 0 }, Infinity, Infinity],
    [{ validLifetime: 0, preferredLifetime: 100 }, Infinity, Infinity],
  ] as const;
  for (const [written, validSeconds, preferredSeconds] of rows) {
    const expected = { validSeconds, preferredSeconds, noPrefixRoute: true };
    assert.deepEqual(readLocal(written), expected, JSON.stringify(written));
  }
});

test('a lifetime that is too short is warned of', () => {
  const reading = read({ localInterface: { validLifetime: 30 } }, readLifetimes);
  assert.deepEqual(reading.warnings, [
    { path: 'localInterface.validLifetime', message: '30 is too short: 60 is used' },
  ]);
});

test('on the dummy interface addresses live for ever unless told otherwise', () => {
  const { dummyLifetime } = must(read({}, readLifetimes));
  assert.deepEqual(dummyLifetime, {
    validSeconds: Infinity,
    preferredSeconds: Infinity,
    noPrefixRoute: false,
  });
  const told = { dummyInterface: { validLifetime: 90, noPrefixRoute: true } };
  assert.deepEqual(must(read(told, readLifetimes)).dummyLifetime, {
    validSeconds: 90,
    preferredSeconds: 90,
    noPrefixRoute: true,
  });
});
