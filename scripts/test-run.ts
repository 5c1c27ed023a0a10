/** Runs test files with node:test, prints as they go, and counts what passed, failed and was skipped. */

import { run } from 'node:test';
import { spec } from 'node:test/reporters';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Reason → how many tests it kept from running. */
  readonly skipped: Readonly<Record<string, number>>;
}

export const noTests: TestCounts = { passed: 0, failed: 0, skipped: {} };

export function addCounts(left: TestCounts, right: TestCounts): TestCounts {
  const skipped = { ...left.skipped };
  for (const [reason, count] of Object.entries(right.skipped)) {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  }
  return { passed: left.passed + right.passed, failed: left.failed + right.failed, skipped };
}

export function skippedCount({ skipped }: TestCounts): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, 0);
}

/** The closing lines of a run: each reason for skipping with its count, then the line that sums up. */
export function renderCounts(counts: TestCounts): string {
  const reasons = Object.entries(counts.skipped).map(([why, count]) => `skipped ${count}: ${why}`);
  const sum = `${counts.passed} passed, ${counts.failed} failed, ${skippedCount(counts)} skipped`;
  return [...reasons, sum].join('\n');
}

export interface RunOptions {
  /** One process for all files, or one for each: starting one costs more than most pure tests take. */
  readonly isolation?: 'none' | 'process';
  /** Files at a time; tests inside one file run in order. */
  readonly concurrency: number;
  /** A test that takes longer has hung. */
  readonly timeoutMs: number;
}

export async function runTests(
  files: readonly string[],
  { concurrency, timeoutMs, isolation = 'process' }: RunOptions,
): Promise<TestCounts> {
  if (files.length === 0) return noTests;
  let counts = noTests;
  const limits = isolation === 'none' ? {} : { concurrency, timeout: timeoutMs };
  const stream = run({ files: [...files], isolation, ...limits });
  const count = (more: Partial<TestCounts>) => {
    counts = addCounts(counts, { ...noTests, ...more });
  };
  stream.on('test:pass', ({ skip, details }) => {
    if (details.type === 'suite') return;
    if (skip === undefined) count({ passed: 1 });
    else count({ skipped: { [skip === true ? 'no reason given' : String(skip)]: 1 } });
  });
  stream.on('test:fail', ({ details }) => {
    if (details.type !== 'suite') count({ failed: 1 });
  });
  for await (const chunk of stream.compose(new spec())) process.stdout.write(chunk);
  return counts;
}
