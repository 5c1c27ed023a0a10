import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSeed } from './fault-plan.ts';
import { lastingMark } from './history.ts';
import { causeOf } from './known-violations.ts';

const { traits } = planSeed(1);
const failure = (...violations: readonly string[]) => ({ seed: 1, traits, violations });

test('what took too long, and ended, is known', () => {
  assert.match(causeOf(failure('192.0.2.100 has had no holder for 2000 ms')) ?? '', /takeover/);
  assert.match(
    causeOf(failure('192.0.2.100 has been on a and b for 2000 ms')) ?? '',
    /two holders/,
  );
});

test('what is never well again is not', () => {
  const slow = '192.0.2.100 has had no holder for 2000 ms';
  assert.equal(causeOf(failure(slow, `192.0.2.100 is on no node, ${lastingMark}`)), undefined);
});

test('neither is anything else', () => {
  assert.equal(causeOf(failure('node1 wants to remove 192.0.2.10, which is not ours')), undefined);
  assert.equal(causeOf(failure('PATCH /api/v1/nodes/node1 though nothing happened')), undefined);
});
