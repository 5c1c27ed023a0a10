import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addCounts, mergeTries, noTests, renderCounts, type TestCounts } from './test-run.ts';

test('the closing line sums up all layers, with the reasons for what was skipped', () => {
  const unit = { passed: 10, failed: 0, skipped: { 'needs root': 2 }, unsteady: [] };
  const live = {
    passed: 5,
    failed: 1,
    skipped: { 'needs root': 1, 'no arm64 here': 1 },
    unsteady: ['a (b.ts)'],
  };
  assert.equal(
    renderCounts([unit, live].reduce(addCounts, noTests)),
    [
      'skipped 3: needs root',
      'skipped 1: no arm64 here',
      'unsteady, passed at the second try: a (b.ts)',
      '15 passed, 1 failed, 4 skipped',
    ].join('\n'),
  );
});

test('of two tries the second counts, and what failed only in the first is named', () => {
  const steady = { file: 'a.ts', passed: 3, skips: [], failures: [] };
  const first = { file: 'b.ts', passed: 1, skips: [], failures: ['luck', 'bug'] };
  const second = { file: 'b.ts', passed: 2, skips: [], failures: ['bug'] };
  assert.deepEqual(mergeTries([steady, first], [second]), [
    steady,
    { ...second, unsteady: ['luck (b.ts)'] },
  ]);
});

/** A test file that passes from the given run on. */
function flaky(folder: string, passesAt: number): string {
  const file = join(folder, `passes-at-${passesAt}.test.ts`);
  const runs = JSON.stringify(join(folder, `runs-${passesAt}`));
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
appendFileSync(${runs}, 'x');
test('lucky', () => { if (readFileSync(${runs}).length < ${passesAt}) throw new Error('not yet'); });
test('steady', () => {});
`,
  );
  return file;
}

/** In a process of its own: a test may not run tests. */
function runAside(folder: string, files: readonly string[]): TestCounts {
  const program = `import { runTests } from ${JSON.stringify(join(import.meta.dirname, 'test-run.ts'))};
const options = { concurrency: 1, timeoutMs: 60_000 };
console.log(JSON.stringify(await runTests(${JSON.stringify(files)}, options)));`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  writeFileSync(join(folder, 'run.mjs'), program);
  const { stdout } = spawnSync(process.execPath, [join(folder, 'run.mjs')], {
    encoding: 'utf8',
    env,
  });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as TestCounts;
}

test('what fails in a suite that files share leads to the file that was run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-tries-'));
  try {
    const suite = `import { test } from 'node:test';
export function suite() { test('shared', () => { throw new Error('always'); }); }\n`;
    writeFileSync(join(folder, 'shared.contract.ts'), suite);
    const uses = "import { suite } from './shared.contract.ts';\nsuite();\n";
    writeFileSync(join(folder, 'one.test.ts'), uses);
    writeFileSync(join(folder, 'broken.test.ts'), 'process.exit(3);\n');
    const files = ['one.test.ts', 'broken.test.ts'].map((file) => join(folder, file));
    const { passed, failed, unsteady } = runAside(folder, files);
    assert.deepEqual([passed, failed, unsteady], [0, 2, []]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a failed file is run once more, and not twice', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-tries-'));
  try {
    const files = [flaky(folder, 1), flaky(folder, 2), flaky(folder, 3)];
    const { passed, failed, unsteady } = runAside(folder, files);
    assert.deepEqual([passed, failed, unsteady.length], [5, 1, 1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
