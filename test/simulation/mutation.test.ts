import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mutations } from './mutations.ts';

const root = new URL('../../', import.meta.url);
const here = new URL('.', import.meta.url).pathname;

test('every rule is found in its file, once', () => {
  const counts = mutations.map(({ rule, file, text }) => {
    const parts = readFileSync(new URL(file, root), 'utf8').split(text);
    return [rule, parts.length - 1];
  });
  assert.deepEqual(
    counts,
    mutations.map(({ rule }) => [rule, 1]),
  );
});

for (const { rule, history, name } of mutations) {
  test(`without the rule "${rule}" a history fails`, () => {
    const hook = ['--import', `${here}mutate.ts`, `--test-name-pattern=${name}`];
    const { status, stdout } = spawnSync(process.execPath, [...hook, `${here}${history}`], {
      env: { ...process.env, PURELB_MUTATION: rule, NODE_TEST_CONTEXT: undefined },
      encoding: 'utf8',
    });
    assert.equal(status, 1, stdout);
    assert.match(stdout, /fail [1-9]/);
  });
}
