/** `npm run check`: format, lint, types and unit tests, side by side, in well under a minute. */

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { mindTests, unitTests } from './test-files.ts';
import { addCounts, renderCounts, runTests, type TestCounts } from './test-run.ts';

const tools: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['format and lint', 'biome', 'ci', '--colors=off', '.'],
  ['promises and switches', 'oxlint', '--type-aware', '--deny-warnings'],
  ['types', 'tsc'],
];

/** Resolves to whether the tool was content; what it had to say is printed only if it was not. */
async function runTool([name, command, ...args]: readonly [string, string, ...string[]]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  process.stdout.write(`${code === 0 ? '✔' : '✖'} ${name} (${command})\n`);
  if (code !== 0) process.stdout.write(Buffer.concat(output));
  return code === 0;
}

/** The tools first, then the tests, so that their output does not mix. */
export async function check(): Promise<{ readonly ok: boolean; readonly counts: TestCounts }> {
  const verdicts = await Promise.all(tools.map(runTool));
  const options = { concurrency: availableParallelism(), timeoutMs: 60_000 };
  const mind = await runTests(mindTests(), { ...options, isolation: 'none' });
  const counts = addCounts(mind, await runTests(unitTests(), options));
  return { ok: counts.failed === 0 && verdicts.every((ok) => ok), counts };
}

if (process.argv[1] === import.meta.filename) {
  const { ok, counts } = await check();
  process.stdout.write(`\n${renderCounts(counts)}\n`);
  process.exitCode = ok ? 0 : 1;
}
