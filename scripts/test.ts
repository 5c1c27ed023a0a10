/** `npm test`: everything. Sets up what it needs from the system, then runs each layer and sums up. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from '../lab/control-plane/binaries.ts';
import { usualPrograms } from '../lab/control-plane/programs.ts';
import { simulate } from '../test/simulation/simulate-tests.ts';
import { check } from './check.ts';
import { liveCommands, runLiveTests } from './live.ts';
import { installMissing } from './system-packages.ts';
import { programTests } from './test-files.ts';
import { addCounts, noTests, renderCounts, runTests } from './test-run.ts';
import { runUmlTests, umlCommands } from './uml.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const startedAt = Date.now();
const heading = (title: string) =>
  say(`\n── ${title} (at ${Math.round((Date.now() - startedAt) / 1000)} s)\n`);

const scratch = mkdtempSync(join(tmpdir(), 'purelb-test-'));
try {
  heading('system packages');
  const absent = installMissing([...liveCommands, ...umlCommands], say);
  say(absent.length === 0 ? 'all there' : `still missing: ${absent.join(', ')}`);

  heading('control plane and gobgpd: found, in the cache, or built once');
  const problems = await ensureBinaries([...usualPrograms, 'gobgpd'], say);
  say(problems.length === 0 ? 'all there' : problems.join('\n'));

  heading('check: format, lint, types, unit tests');
  const checked = await check();

  heading('programs: against the embedded API server');
  const programs = await runTests(programTests(), { concurrency: 2, timeoutMs: 300_000 });

  heading('simulation: faults by chance, for five minutes at most');
  const simulated = await simulate(5 * 60_000, say);

  heading('live: real kernel, in namespaces of its own');
  const live = await runLiveTests(join(scratch, 'live.json'));

  heading('uml: the kernel contract on a kernel with a dummy driver');
  const uml = runUmlTests(scratch);

  heading('done');
  const counts = [checked.counts, programs, simulated, live, uml].reduce(addCounts, noTests);
  say(renderCounts(counts));
  if (!checked.ok) say('check failed: see above');
  process.exitCode = checked.ok && counts.failed === 0 ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
