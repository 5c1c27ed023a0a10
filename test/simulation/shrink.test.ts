import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planHistory } from './fault-plan.ts';
import { shrinkPlan } from './shrink.ts';

test('of a failing history only what makes it fail is left', async () => {
  const plan = planHistory({ seed: 3, bursts: 3, calmHours: 1, pace: 'several' });
  const [, second] = plan.bursts;
  const [first, , third] = second?.faults ?? [];
  assert.ok(first !== undefined && third !== undefined);
  const shrunk = await shrinkPlan(plan, async ({ bursts }) => {
    const faults = bursts.flatMap((burst) => burst.faults);
    return faults.includes(first) && faults.includes(third);
  });
  assert.deepEqual(
    shrunk.bursts.map(({ faults }) => faults),
    [[first, third]],
  );
});
