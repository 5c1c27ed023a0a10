import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSeed } from './fault-plan.ts';
import { lastingMark } from './history.ts';
import { causeOf } from './known-violations.ts';

const { traits } = planSeed(1);
const failure = (...violations: readonly string[]) => ({ seed: 1, traits, violations });

test('two holders for too long, and not for ever, are known', () => {
  assert.match(
    causeOf(failure('192.0.2.100 has been on a and b for 2000 ms')) ?? '',
    /two holders/,
  );
});

test('what is never well again is not', () => {
  const double = '192.0.2.100 has been on a and b for 2000 ms';
  assert.equal(causeOf(failure(double, `192.0.2.100 is on a and b, ${lastingMark}`)), undefined);
});

test('neither is an address without a holder, nor anything else', () => {
  assert.equal(causeOf(failure('192.0.2.100 has had no holder for 2000 ms')), undefined);
  assert.equal(causeOf(failure('node1 wants to remove 192.0.2.10, which is not ours')), undefined);
  assert.equal(causeOf(failure('PATCH /api/v1/nodes/node1 though nothing happened')), undefined);
});
