import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropWhere } from './drop-where.ts';

test('entries whose value is over are deleted, and no others', () => {
  const ages = new Map([
    ['a', 1],
    ['b', 5],
    ['c', 9],
  ]);
  dropWhere(ages, (age) => age >= 5);
  assert.deepEqual([...ages], [['a', 1]]);
});
