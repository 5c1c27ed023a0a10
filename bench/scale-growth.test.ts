import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BenchRow } from './bench-report.ts';
import { growthPerDoubling, reportGrowth, slopes } from './scale-growth.ts';

test('linear growth is 1 per doubling, quadratic growth is 2', () => {
  const sizes = [10, 20, 40];
  const linear = growthPerDoubling(sizes.map((size) => ({ size, value: 3 * size })));
  const quadratic = growthPerDoubling(sizes.map((size) => ({ size, value: size * size })));
  assert.deepEqual(linear, [
    { from: 10, to: 20, factor: 1 },
    { from: 20, to: 40, factor: 1 },
  ]);
  assert.deepEqual(
    quadratic.map(({ factor }) => factor),
    [2, 2],
  );
});

test('a step that is no doubling is brought to one', () => {
  const [step] = growthPerDoubling([
    { size: 10, value: 10 },
    { size: 40, value: 160 },
  ]);
  assert.deepEqual(step, { from: 10, to: 40, factor: 2 });
});

test('a figure without a value before it has no growth', () => {
  const figures = [
    { size: 10, value: 0 },
    { size: 20, value: 5 },
  ];
  assert.deepEqual(growthPerDoubling(figures), []);
});

test('the slope is what each one more adds', () => {
  const figures = [
    { size: 100, value: 1_000 },
    { size: 200, value: 1_300 },
  ];
  assert.deepEqual(slopes(figures), [{ from: 100, to: 200, factor: 3 }]);
});

test('each step becomes a row with the target of 1.3', () => {
  const rows: BenchRow[] = [];
  const report = { row: (row: BenchRow) => rows.push(row), note: () => {} };
  reportGrowth(report, 'burst, CPU', [
    { size: 625, value: 2 },
    { size: 1_250, value: 5 },
  ]);
  assert.deepEqual(rows, [
    {
      name: 'burst, CPU: growth per doubling / 2, 625 → 1,250',
      value: 1.25,
      unit: '×',
      target: 1.3,
      better: 'lower',
    },
  ]);
});
