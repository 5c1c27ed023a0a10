/** A lab with a program on it, for tests that end it from outside: prints how to get at it and stays. */

import { lan } from './network/lab.ts';
import { isInSandbox, joinCommand, runInSandbox, sandboxPid } from './sandbox.ts';
import { startResponder } from './traffic/responder.ts';

if (isInSandbox() && process.argv[2] === 'inside') {
  await using lab = await lan({ nodes: 1 });
  await startResponder(lab.node(1));
  await lab.node(1).start(['setsid', 'sleep', '600']);
  process.stdout.write(`join ${joinCommand()}\nup ${sandboxPid()}\n`);
  await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
  process.stdout.write('down\n');
  process.exitCode = 3;
} else {
  process.exitCode = await runInSandbox(import.meta.filename, ['inside']);
}
