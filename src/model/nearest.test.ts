import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nearest } from './nearest.ts';

test('a word within a slip or two of a candidate means that candidate', () => {
  const rows = [
    ['sticky', 'Sticky'],
    ['STICKY', 'Sticky'],
    ['Stiky', 'Sticky'],
    ['Stikcy', 'Sticky'],
    ['hsh', 'Hash'],
    ['Hashh', 'Hash'],
    ['Hash', 'Hash'],
    ['Hoosh', 'Hash'],
    ['hsah', undefined],
    ['Hxxh', undefined],
    ['round-robin', undefined],
    ['', undefined],
  ] as const;
  for (const [word, meant] of rows) {
    assert.equal(nearest(word, ['Sticky', 'Hash']), meant, word);
  }
});

test('of two candidates the closer one is meant, of equals the first', () => {
  assert.equal(nearest('v4pool', ['v4pools', 'v4pool']), 'v4pool');
  assert.equal(nearest('v5pools', ['v4pools', 'v6pools']), 'v4pools');
});

test('any word is compared in no time and only ever answered by a candidate', () => {
  const candidates = ['auto', 'local', 'remote'];
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (word) => {
      const meant = nearest(word, candidates);
      assert.ok(meant === undefined || candidates.includes(meant));
    }),
  );
  assert.equal(nearest('auto'.repeat(1_000_000), candidates), undefined);
});
