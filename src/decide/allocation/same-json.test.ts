import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isSameJson } from './same-json.ts';

test('absent and undefined are alike, and so is the order of fields, but not of lists', () => {
  assert.ok(isSameJson({ a: 1, b: undefined }, { a: 1 }));
  assert.ok(isSameJson({ a: [1, { b: 2, c: 3 }] }, { a: [1, { c: 3, b: 2 }] }));
  assert.ok(!isSameJson([1, 2], [2, 1]));
  assert.ok(!isSameJson([1], [1, undefined]));
  assert.ok(!isSameJson([], {}));
  assert.ok(!isSameJson(null, {}));
  assert.ok(!isSameJson('1', 1));
});

test('a copy is the same, and what is the same is written the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      assert.ok(isSameJson(left, structuredClone(left)));
      if (JSON.stringify(left) === JSON.stringify(right)) assert.ok(isSameJson(left, right));
    }),
  );
});
