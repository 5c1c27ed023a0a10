/** Control groups with a process in a group of a group, for tests that end the sandbox from outside. */

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInSandbox, runInSandbox } from '../sandbox.ts';
import { makeCgroups, tidyCgroups } from './cgroups.ts';

if (isInSandbox() && process.argv[2] === 'inside') {
  const { pid } = spawn('sleep', ['600']);
  const groups = makeCgroups('lingering').filter(({ controllers }) => controllers !== 'cpuset');
  for (const { folder } of groups) {
    mkdirSync(join(folder, 'pods/pod'), { recursive: true });
    writeFileSync(join(folder, 'pods/pod/cgroup.procs'), String(pid));
  }
  process.stdout.write(`${groups.map(({ folder }) => folder).join(' ')}\n`);
  process.once('SIGTERM', () => process.exit(0));
} else {
  using tidied = tidyCgroups();
  process.exitCode = await runInSandbox(import.meta.filename, ['inside'], tidied);
}
