import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planHistory } from './fault-plan.ts';
import { runHistory } from './history.ts';

test('a history repeats with its seed, to the last frame', async () => {
  const plan = planHistory({ seed: 9, bursts: 1, calmHours: 1, pace: 'several' });
  const [one, other] = [await runHistory(plan), await runHistory(plan)];
  assert.deepEqual(one, other);
});
