import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operStates } from './link.ts';

test('operational states stand at their number in linux/if.h', () => {
  assert.deepEqual(Object.fromEntries(operStates.map((state, number) => [state, number])), {
    unknown: 0,
    'not-present': 1,
    down: 2,
    'lower-layer-down': 3,
    testing: 4,
    dormant: 5,
    up: 6,
  });
});
