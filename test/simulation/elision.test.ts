import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planHistory } from './fault-plan.ts';
import { runHistory } from './history.ts';

test('a history whose calm is jumped over ends as one that is lived through', async () => {
  const plan = planHistory({ seed: 9, bursts: 1, calmHours: 0.2, pace: 'several' });
  const elided = await runHistory(plan);
  const full = await runHistory(plan, { isFull: true });
  const alike = ({ violations, end, measurements }: typeof full) => {
    const { injected, moves, faults, fullMs, elidedMs } = measurements;
    return { violations, end, injected, moves, faults, ms: Math.round(fullMs + elidedMs) };
  };
  assert.deepEqual(alike(elided), alike(full));
  assert.ok(elided.measurements.elidedMs > 0);
  assert.equal(full.measurements.elidedMs, 0);
});
