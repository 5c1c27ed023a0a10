/** Runs test files with node:test, prints as they go, and counts what passed, failed and was skipped. */

import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Reason → how many tests it kept from running. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Tests that failed, and passed when their file was run again: something to look into. */
  readonly unsteady: readonly string[];
}

export const noTests: TestCounts = { passed: 0, failed: 0, skipped: {}, unsteady: [] };

export function addCounts(left: TestCounts, right: TestCounts): TestCounts {
  const skipped = { ...left.skipped };
  for (const [reason, count] of Object.entries(right.skipped)) {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  }
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped,
    unsteady: [...left.unsteady, ...right.unsteady],
  };
}

export function skippedCount({ skipped }: TestCounts): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, 0);
}

/** The closing lines of a run: what was skipped and why, what is unsteady, then the line that sums up. */
export function renderCounts(counts: TestCounts): string {
  const reasons = Object.entries(counts.skipped).map(([why, count]) => `skipped ${count}: ${why}`);
  const unsteady = counts.unsteady.map((name) => `unsteady, passed at the second try: ${name}`);
  const sum = `${counts.passed} passed, ${counts.failed} failed, ${skippedCount(counts)} skipped`;
  return [...reasons, ...unsteady, sum].join('\n');
}

export interface RunOptions {
  /** One process for all files, or one for each: starting one costs more than most pure tests take. */
  readonly isolation?: 'none' | 'process';
  /** Files at a time; tests inside one file run in order. */
  readonly concurrency: number;
  /** A test that takes longer has hung. */
  readonly timeoutMs: number;
}

/** More files than this do not fail by bad luck. */
const mostSecondTries = 4;

/**
 * A file with a failed test is run once more, alone: on a busy machine a process may be kept waiting for seconds, and
 * what truly fails fails again. What passes only then is named in the closing lines.
 */
export async function runTests(files: readonly string[], options: RunOptions): Promise<TestCounts> {
  const first = await runOnce(files, options);
  const again = first.filter(({ failures }) => failures.length > 0).map(({ file }) => file);
  const mayTryAgain = options.isolation !== 'none' && again.length <= mostSecondTries;
  if (again.length === 0 || !mayTryAgain) return sum(first);
  process.stdout.write(`\nonce more, alone: ${again.join(', ')}\n\n`);
  return sum(mergeTries(first, await runOnce(again, { ...options, concurrency: 1 })));
}

/** What became of the tests of one file. */
export interface FileOutcome {
  readonly file: string;
  readonly passed: number;
  readonly skips: readonly string[];
  /** Names of the tests that failed. */
  readonly failures: readonly string[];
  readonly unsteady?: readonly string[];
}

/** The second try counts; what failed only in the first is unsteady. */
export function mergeTries(
  first: readonly FileOutcome[],
  second: readonly FileOutcome[],
): readonly FileOutcome[] {
  const again = new Map(second.map((outcome) => [outcome.file, outcome]));
  return first.map((outcome) => {
    const other = again.get(outcome.file);
    if (other === undefined) return outcome;
    const unsteady = outcome.failures.filter((name) => !other.failures.includes(name));
    return { ...other, unsteady: unsteady.map((name) => `${name} (${outcome.file})`) };
  });
}

function sum(outcomes: readonly FileOutcome[]): TestCounts {
  return outcomes
    .map(({ passed, skips, failures, unsteady = [] }) => ({
      passed,
      failed: failures.length,
      skipped: Object.fromEntries(
        [...Map.groupBy(skips, (reason) => reason)].map(([reason, all]) => [reason, all.length]),
      ),
      unsteady,
    }))
    .reduce(addCounts, noTests);
}

/** Tests are told where they were written, which may be a suite that several files share: a file's summary ends it. */
async function runOnce(
  files: readonly string[],
  { concurrency, timeoutMs, isolation = 'process' }: RunOptions,
): Promise<readonly FileOutcome[]> {
  if (files.length === 0) return [];
  const outcomes: FileOutcome[] = [];
  let current = { passed: 0, skips: [] as string[], failures: [] as string[] };
  const end = (file: string) => {
    outcomes.push({ file: relative(process.cwd(), file), ...current });
    current = { passed: 0, skips: [], failures: [] };
  };
  const limits = isolation === 'none' ? {} : { concurrency, timeout: timeoutMs };
  const stream = run({ files: [...files], isolation, ...limits });
  stream.on('test:pass', ({ skip, details }) => {
    if (details.type === 'suite') return;
    if (skip === undefined) current.passed += 1;
    else current.skips.push(skip === true ? 'no reason given' : String(skip));
  });
  stream.on('test:fail', ({ details, name, file }) => {
    const isFile = file !== undefined && resolve(name) === resolve(file);
    if (details.type !== 'suite') current.failures.push(isFile ? 'the file as a whole' : name);
    // One that broke off has no summary.
    if (isFile) end(file);
  });
  stream.on('test:summary', ({ file }) => {
    if (file !== undefined) end(file);
  });
  for await (const chunk of stream.compose(new spec())) process.stdout.write(chunk);
  if (isolation === 'none') end('.');
  return merge(outcomes);
}

/** One entry for each file. */
function merge(outcomes: readonly FileOutcome[]): readonly FileOutcome[] {
  return [...Map.groupBy(outcomes, ({ file }) => file)].map(([file, all]) => ({
    file,
    passed: all.reduce((total, { passed }) => total + passed, 0),
    skips: all.flatMap(({ skips }) => skips),
    failures: all.flatMap(({ failures }) => failures),
  }));
}
