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

test('seed 360: an owner that could not read its kernel while a former owner came back asks who owns the address', async () => {
  const { violations } = await runHistory(
    planOf(360, { apiInBand: true }, [
      ['kernel-unreadable', 3, 18_499, 1_915, 288_455_091],
      ['partition', 1, 19_553, 3_513, 68_333_069],
      ['power-loss', 1, 24_837, 5_236, 1_642_074_311],
      ['partition', 5, 29_657, 3_373, 1_132_885_185],
      ['reboot', 3, 31_243, 5_071, 1_562_636_611],
      ['port-cut', 2, 32_799, 5_673, 1_452_938_210],
      ['kernel-unreadable', 2, 36_277, 4_019, 2_038_004_396],
      ['power-loss', 5, 38_274, 2_473, 1_084_917_399],
      ['cable-pulled', 2, 39_461, 1_110, 1_120_171_848],
      ['reboot', 3, 40_857, 4_521, 333_502_225],
      ['port-cut', 2, 44_195, 3_048, 257_394_481],
      ['kernel-unreadable', 6, 47_105, 3_277, 1_520_467_452],
    ]),
  );
  assert.deepEqual(violations, []);
});
