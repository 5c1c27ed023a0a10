/** Runs test files that need a kernel of their own: `npm run live -- src/linux/kernel.live.test.ts`. */

import { spawnSync } from 'node:child_process';
import { isInSandbox, runInSandbox, sandboxObstacle } from '../lab/sandbox.ts';

const args = process.argv.slice(2);
if (isInSandbox()) {
  const run = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...args], {
    stdio: 'inherit',
  });
  process.exitCode = run.status ?? 1;
} else {
  const obstacle = sandboxObstacle();
  if (obstacle !== undefined) throw new Error(`no sandbox on this machine: ${obstacle}`);
  process.exitCode = await runInSandbox(import.meta.filename, args);
}
