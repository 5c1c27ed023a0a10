/** `node lab/control-plane/build.ts [PROGRAM …]`: finds or builds what a control plane needs, or the programs named. */

import { ensureBinaries } from './binaries.ts';
import { type ProgramName, programs, usualPrograms } from './programs.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const isProgram = (name: string): name is ProgramName => Object.hasOwn(programs, name);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !isProgram(name));
if (unknown.length > 0) {
  say(`unknown: ${unknown.join(', ')}; known: ${Object.keys(programs).join(', ')}`);
  process.exitCode = 2;
} else {
  const problems = await ensureBinaries(
    asked.length > 0 ? asked.filter(isProgram) : usualPrograms,
    say,
  );
  for (const problem of problems) say(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
