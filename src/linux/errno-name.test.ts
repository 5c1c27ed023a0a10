import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errnoName } from './errno-name.ts';
import { errno } from './libc.ts';

test('every errno that libc names has that name', () => {
  for (const [name, number] of Object.entries(errno)) assert.equal(errnoName(number), name);
});

test('an unheard-of number is shown as such', () => {
  assert.equal(errnoName(4242), 'errno 4242');
});
