import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCounts, noTests, renderCounts } from './test-run.ts';

test('the closing line sums up all layers, with the reasons for what was skipped', () => {
  const unit = { passed: 10, failed: 0, skipped: { 'needs root': 2 } };
  const live = { passed: 5, failed: 1, skipped: { 'needs root': 1, 'no arm64 here': 1 } };
  assert.equal(
    renderCounts([unit, live].reduce(addCounts, noTests)),
    ['skipped 3: needs root', 'skipped 1: no arm64 here', '15 passed, 1 failed, 4 skipped'].join(
      '\n',
    ),
  );
});
