import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { RunFigures } from '../lab/failover/measure-run.ts';
import { FailoverRuns } from './failover-runs.ts';
import { calm } from './run-figures.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'failover-runs-'));
after(() => rmSync(folder, { recursive: true }));

const figures = (outageMs: number): RunFigures => ({ ...calm, outageMs });
const outages = (runs: FailoverRuns, scenario: string) =>
  runs.of(scenario).flatMap((run) => run.map(({ outageMs }) => outageMs));

test('what one measurement kept, the next one goes on from', () => {
  const file = join(folder, 'pieces');
  new FailoverRuns(file).add('a', [figures(1), figures(2)]);
  const second = new FailoverRuns(file);
  second.add('b', [figures(3)]);
  second.add('a', [figures(4)]);
  const third = new FailoverRuns(file);
  assert.deepEqual(
    ['a', 'b', 'c'].map((scenario) => outages(third, scenario)),
    [[1, 2, 4], [3], []],
  );
});

test('a run that was being written when all ended is not one, and spoils none', () => {
  const file = join(folder, 'torn');
  const before = new FailoverRuns(file);
  before.add('a', [figures(1)]);
  before.add('a', [figures(2)]);
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -30));
  new FailoverRuns(file).add('a', [figures(3)]);
  assert.deepEqual(outages(new FailoverRuns(file), 'a'), [1, 3]);
});

test('without a file runs are kept as long as it lasts', () => {
  const runs = new FailoverRuns();
  runs.add('a', [figures(1)]);
  assert.deepEqual(outages(runs, 'a'), [1]);
});
