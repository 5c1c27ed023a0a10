/**
 * Runs the tests that need a kernel of their own, in the sandbox: all of them, or `npm run live -- FILE …`.
 * With `--counts FILE` the outcome is written there for the caller outside.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tidyCgroups } from '../lab/real-cluster/cgroups.ts';
import { isInSandbox, runInSandbox, sandboxObstacle } from '../lab/sandbox.ts';
import { installMissing } from './system-packages.ts';
import { isPatient, liveTests } from './test-files.ts';
import { addCounts, noTests, renderCounts, runTests, type TestCounts } from './test-run.ts';

const { values, positionals } = parseArgs({
  options: { counts: { type: 'string' } },
  allowPositionals: true,
});

const say = (line: string) => process.stdout.write(`${line}\n`);

/** What live tests call; each test skips visibly where one that it needs is missing. */
export const liveCommands = [
  'ip',
  'bridge',
  'ping',
  'arping',
  'tcpdump',
  'nft',
  'iptables',
  'vtysh',
  'bird',
  'faketime',
];

/** For `npm test`: all live tests in a sandbox, or the reason why none could run, counted by file. */
export async function runLiveTests(countsFile: string): Promise<TestCounts> {
  const obstacle = sandboxObstacle();
  if (obstacle !== undefined) return { ...noTests, skipped: { [obstacle]: liveTests().length } };
  writeFileSync(countsFile, JSON.stringify({ ...noTests, failed: 1 } satisfies TestCounts));
  using tidied = tidyCgroups();
  await runInSandbox(import.meta.filename, ['--counts', countsFile], tidied);
  return JSON.parse(readFileSync(countsFile, 'utf8')) as TestCounts;
}

async function runInside(): Promise<number> {
  const files = positionals.length > 0 ? positionals : liveTests();
  const [patient, others] = [files.filter(isPatient), files.filter((path) => !isPatient(path))];
  const timeoutMs = 300_000;
  const counts = addCounts(
    await runTests(patient, { concurrency: 2, timeoutMs }),
    // One at a time: they count packets and milliseconds.
    await runTests(others, { concurrency: 1, timeoutMs }),
  );
  if (values.counts === undefined) say(renderCounts(counts));
  else writeFileSync(values.counts, JSON.stringify(counts));
  return counts.failed === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  if (isInSandbox()) return runInside();
  const obstacle = sandboxObstacle();
  if (obstacle !== undefined) {
    say(`cannot run live tests: ${obstacle}`);
    return 1;
  }
  installMissing(liveCommands, say);
  using tidied = tidyCgroups();
  return await runInSandbox(import.meta.filename, process.argv.slice(2), tidied);
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main();
