import assert from 'node:assert/strict';
import { test } from 'node:test';
import { absent, leave } from './address-decision.ts';

test('an address that is not here, and one that stays as it is, differ in their outcome', () => {
  assert.deepEqual(absent('noConfig'), { outcome: { kind: 'absent' }, reason: 'noConfig' });
  assert.deepEqual(leave('poolUnknown'), { outcome: { kind: 'leave' }, reason: 'poolUnknown' });
});
