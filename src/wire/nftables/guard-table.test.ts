import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardChains, guardRules, guardSets, guardTable } from './guard-table.ts';

test('everything is in the one table', () => {
  const parts = [...guardChains, ...guardRules, ...Object.values(guardSets)];
  assert.deepEqual([...new Set(parts.map(({ table }) => table))], [guardTable.name]);
});

test('only what is for the machine itself comes by', () => {
  assert.deepEqual(
    guardChains.flatMap(({ base }) => (base === undefined ? [] : [base])),
    [{ type: 'filter', hook: 1, priority: 0, policy: 1 }],
  );
});

test('a rule looks things up in sets that there are, and jumps to chains that there are', () => {
  const chains = new Set(guardChains.map(({ name }) => name));
  for (const { chain, expressions } of guardRules) {
    assert.ok(chains.has(chain));
    for (const step of expressions) {
      if (step.kind === 'lookup') assert.ok(step.set in guardSets, step.set);
      if (step.kind === 'immediate') assert.ok(chains.has(step.verdict.chain ?? chain));
    }
  }
});
