/** How a figure grows with the size of the cluster. */

import type { BenchReport } from './bench-report.ts';

export interface Sized {
  readonly size: number;
  readonly value: number;
}

/** Beyond this, growth is no longer called near linear. */
const mostPerDoubling = 1.3;

export interface Step {
  readonly from: number;
  readonly to: number;
  readonly factor: number;
}

/**
 * What a doubling of the size multiplies the figure by, divided by two: 1 is linear growth, 2 is quadratic growth.
 * Steps that are no doublings are brought to one.
 */
export function growthPerDoubling(figures: readonly Sized[]): readonly Step[] {
  return figures.slice(1).flatMap(({ size, value }, index) => {
    const before = figures[index];
    if (before === undefined || before.value <= 0) return [];
    const doublings = Math.log2(size / before.size);
    const factor = (value / before.value) ** (1 / doublings) / 2;
    return [{ from: before.size, to: size, factor }];
  });
}

/** Adds one row for each step between two sizes. */
export function reportGrowth(report: BenchReport, what: string, figures: readonly Sized[]): void {
  for (const { from, to, factor } of growthPerDoubling(figures)) {
    report.row({
      name: `${what}: growth per doubling / 2, ${number(from)} → ${number(to)}`,
      value: factor,
      unit: '×',
      target: mostPerDoubling,
      better: 'lower',
    });
  }
}

/** By how much a figure grows for each one more. */
export function slopes(figures: readonly Sized[]): readonly Step[] {
  return figures.slice(1).flatMap(({ size, value }, index) => {
    const before = figures[index];
    if (before === undefined) return [];
    const factor = (value - before.value) / (size - before.size);
    return [{ from: before.size, to: size, factor }];
  });
}

export function number(value: number): string {
  return value.toLocaleString('en-US');
}
