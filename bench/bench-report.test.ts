import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BenchRow, isMet, renderJson, renderTable } from './bench-report.ts';

const rows: readonly BenchRow[] = [
  { name: 'add 1,000 addresses ÷ ip -batch', value: 0.6134, unit: '×', target: 1, better: 'lower' },
  { name: 'captured', value: 999, unit: 'frames', target: 1000, better: 'higher' },
  { name: 'latency p50', value: 67, unit: 'µs', better: 'lower' },
];

test('a target is met from the better side, and a figure without one has no verdict', () => {
  assert.deepEqual(rows.map(isMet), [true, false, undefined]);
});

test('the table says what was missed', () => {
  assert.equal(
    renderTable(rows),
    [
      'what                             value  unit    target',
      'add 1,000 addresses ÷ ip -batch  0.613  ×       ≤ 1 ✓',
      'captured                           999  frames  ≥ 1,000 ✗ missed',
      'latency p50                         67  µs',
    ].join('\n'),
  );
});

test('the JSON line holds every row with its verdict', () => {
  assert.deepEqual(JSON.parse(renderJson('netlink', rows)), {
    bench: 'netlink',
    rows: [
      { name: rows[0]?.name, value: 0.6134, unit: '×', target: 1, better: 'lower', ok: true },
      { name: 'captured', value: 999, unit: 'frames', target: 1000, better: 'higher', ok: false },
      { name: 'latency p50', value: 67, unit: 'µs', target: null, better: 'lower', ok: null },
    ],
  });
});
