import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesSelector } from './matches-selector.ts';

const labels = { app: 'web', size: '5' };

test('an empty selector matches everything, an absent one nothing', () => {
  assert.ok(matchesSelector({}, labels));
  assert.ok(!matchesSelector(undefined, labels));
});

test('labels and expressions must all hold', () => {
  const holds = (key: string, operator: string, ...values: string[]) =>
    matchesSelector(
      { matchLabels: { app: 'web' }, matchExpressions: [{ key, operator, values }] },
      labels,
    );
  assert.ok(holds('app', 'In', 'db', 'web'));
  assert.ok(!holds('app', 'NotIn', 'web'));
  assert.ok(holds('tier', 'NotIn', 'web'));
  assert.ok(holds('app', 'Exists'));
  assert.ok(holds('tier', 'DoesNotExist'));
  assert.ok(holds('size', 'Gt', '4'));
  assert.ok(!holds('size', 'Lt', '5'));
  assert.ok(!holds('app', 'Unheard', 'web'));
});
