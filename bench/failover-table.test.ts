import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunFigures } from '../lab/failover/measure-run.ts';
import { failover, nothing, type Scenario } from '../lab/failover/scenario.ts';
import { figureRows, headings, summarize } from './failover-table.ts';
import { calm } from './run-figures.fixture.ts';

const moved: RunFigures = { ...calm, outageMs: 700, lost: 701, broken: 10, moves: 1 };
const scenario = (limits: Scenario['limits']): Scenario => ({
  name: 'a scenario',
  stage: () => ({ act: async () => {} }),
  settlesMs: 0,
  limits,
});

test('a line says what is expected beside what came of it', () => {
  const line = summarize(scenario(failover), [[moved, { ...moved, outageMs: 900.4 }]]);
  assert.equal(line.length, headings.length);
  assert.deepEqual(line, [
    ...['a scenario', '1', '2', '900', '900', '701', '10', '0', '1', '0'],
    'outage ≤ 1 s, two ≤ 1 s, ≤ 1 moves, TCP reset',
    'yes',
  ]);
});

test('a line says what was missed', () => {
  const met = (limits: Scenario['limits'], runs: readonly RunFigures[]) =>
    summarize(scenario(limits), [runs]).at(-1);
  assert.equal(met(nothing, [calm]), 'yes');
  assert.equal(
    met(nothing, [calm, moved]),
    'no: outage p99, most lost, TCP broken, most of 10, most moves',
  );
  assert.equal(met(failover, [moved, calm]), 'no: did not move');
});

test('figures have targets where there is a limit', () => {
  const rows = figureRows(scenario(failover), [[moved]]);
  assert.deepEqual(
    rows.map(({ name, value, target }) => [name.slice('a scenario: '.length), value, target]),
    [
      ['outage p50', 700, undefined],
      ['outage p99', 700, 1000],
      ['most lost', 701, undefined],
      ['TCP broken, most of 10', 10, undefined],
      ['two holders, longest', 0, 1000],
      ['most moves', 1, 1],
      ['first to last address', 0, undefined],
    ],
  );
});
