import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readScenario, ScenarioError } from './read-scenario.ts';

test('steps with what is said, done and expected', () => {
  const text = `
- says: One
  do: [new Service dual stack, wait 2s, power off holder, cut node2, API]
  expect: no packet lost
- says: Two
  do: restart agents
  needs: router
`;
  assert.deepEqual(readScenario(text), [
    {
      says: 'One',
      does: [
        { kind: 'new Service', form: 'dual stack' },
        { kind: 'wait', ms: 2000 },
        { kind: 'power off', node: 'holder' },
        { kind: 'cut', node: 'node2' },
        { kind: 'API' },
      ],
      expects: 'no packet lost',
      needs: undefined,
    },
    { says: 'Two', does: [{ kind: 'restart agents' }], expects: undefined, needs: 'router' },
  ]);
});

test('what cannot be read says where and what to write', () => {
  const problems: readonly [string, RegExp][] = [
    ['a: b', /^a scenario is a list of steps$/],
    ['- x', /^step 1: write it as/],
    ['- do: API', /^step 1: `says` is missing$/],
    ['- {says: x, dos: API}', /^step 1: there is no `dos`/],
    ['- {says: x, do: freeze agents holder}', /^step 1: .*did you mean "freeze agent holder"\?$/],
    ['- {says: x, do: power off nodes}', /^step 1: nobody knows/],
    ['- {says: x, expect: answerd}', /^step 1: .*did you mean "answered"\?$/],
    ['- {says: x, needs: luck}', /^step 1: `needs` can only be "router"$/],
    ['- [', /./],
  ];
  for (const [text, message] of problems) {
    assert.throws(
      () => readScenario(text),
      (error) => {
        return error instanceof ScenarioError && message.test(error.message);
      },
      text,
    );
  }
});

test('the tour can be read', () => {
  const text = readFileSync(join(import.meta.dirname, 'tour.yaml'), 'utf8');
  assert.equal(readScenario(text).length, 15);
});
