import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { test } from 'node:test';
import { errnoName } from './errno-name.ts';
import { errno } from './libc.ts';

test('every errno has the name and number that the system gives it', () => {
  for (const [name, number] of Object.entries(errno)) {
    assert.equal(errnoName(number), name);
    assert.equal(new Map(Object.entries(constants.errno)).get(name), number, name);
  }
});

test('an unheard-of number is shown as such', () => {
  assert.equal(errnoName(4242), 'errno 4242');
});
