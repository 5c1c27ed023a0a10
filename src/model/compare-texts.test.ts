import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareTexts } from './compare-texts.ts';

test('texts are sorted by code unit, capitals before small letters', () => {
  assert.deepEqual(['b', 'ä', 'a', '', 'B', 'a'].sort(compareTexts), ['', 'B', 'a', 'a', 'b', 'ä']);
});
