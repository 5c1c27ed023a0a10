import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubtReasons } from './doubt-reasons.ts';

test('each reason to doubt is said in words of its own', () => {
  const words = Object.values(doubtReasons);
  assert.equal(new Set(words).size, words.length);
});
