import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHistory } from './history.ts';

for (const seed of [1, 2, 3, 4]) {
  test(`history ${seed}: an address has one holder, whatever happens to nodes and agents`, async () => {
    const { violations, story } = await runHistory({ seed, nodes: 4, faults: 4 });
    assert.deepEqual(violations, [], story.join('\n'));
  });
}
