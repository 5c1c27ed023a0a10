import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepSample, ratesOf, type Sample } from './rates.ts';

test('rates are what was added over the time between the samples', () => {
  const samples = [
    { at: 1000, tally: { echoes: 10 } },
    { at: 1500, tally: { echoes: 30 } },
    { at: 3000, tally: { echoes: 50, hints: 4 } },
  ];
  assert.deepEqual(ratesOf(samples), { echoes: 20, hints: 2 });
});

test('one sample tells no rate', () => {
  assert.deepEqual(ratesOf([{ at: 5, tally: { echoes: 10 } }]), {});
  assert.deepEqual(ratesOf([]), {});
});

test('samples of more than three seconds ago are forgotten', () => {
  const all = Array.from({ length: 40 }, (_, index) => ({ at: index * 250, tally: {} }));
  const kept = all.reduce<readonly Sample[]>(keepSample, []);
  assert.deepEqual([kept[0]?.at, kept.at(-1)?.at], [7000, 9750]);
});
