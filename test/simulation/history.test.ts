import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultKind } from './fault-kinds.ts';
import { type HistoryPlan, planHistory, type Traits } from './fault-plan.ts';
import { runHistory } from './history.ts';

test('a history repeats with its seed, to the last frame', async () => {
  const plan = planHistory({ seed: 9, bursts: 1, calmHours: 1, pace: 'several' });
  const [one, other] = [await runHistory(plan), await runHistory(plan)];
  assert.deepEqual(one, other);
});

/** Kind, node, when it begins and how long it lasts in ms, and the dice. */
type FaultRow = readonly [FaultKind, number, number, number, number];

function planOf(seed: number, traits: Partial<Traits>, rows: readonly FaultRow[]): HistoryPlan {
  const off = { zones: false, suppression: false, secondNic: false, ipvs: false, proxyArp: false };
  const usual = { ...off, nodes: 6, shortLifetimes: true, apiInBand: false };
  const faults = rows.map(([kind, node, at, lastsMs, dice]) => ({ kind, node, at, lastsMs, dice }));
  return { seed, traits: { ...usual, ...traits }, bursts: [{ faults, calmMs: 60_000 }] };
}

test('seed 331: with IPVS, a node whose agent stands still serves an address that somebody removed from it', async () => {
  const traits = { suppression: true, secondNic: true, ipvs: true };
  const { violations, measurements } = await runHistory(
    planOf(331, traits, [
      ['agent-frozen', 6, 3_383, 80_000, 1],
      ['address-removed', 6, 12_341, 0, 1],
    ]),
  );
  assert.deepEqual(violations, []);
  assert.deepEqual(measurements.outages, []);
});
