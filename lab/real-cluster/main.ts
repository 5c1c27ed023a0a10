/** `npm run real-cluster`: fetches and builds what a real cluster takes, and runs Kubernetes' own tests on one. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installMissing } from '../../scripts/system-packages.ts';
import { ensureBinaries } from '../control-plane/binaries.ts';
import { kubernetesTestPrograms } from '../control-plane/programs.ts';
import { isInSandbox, runInSandbox } from '../sandbox.ts';
import { agnhostCommands } from './agnhost-image.ts';
import { tidyCgroups } from './cgroups.ts';
import { runOnLocalAddresses } from './run-kubernetes-tests.ts';
import { isSetUp, machineObstacle, setUp, setUpCommand } from './set-up.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

const usage = `npm run real-cluster -- OPTION
  --set-up             fetches and builds what a real cluster takes, once: a quarter of an hour on two cores
  --kubernetes-tests   builds Kubernetes' own tests of load balancers, once, and runs them on PureLB
  --focus REGEX        of these, the ones whose names match
  --at-once N          as many at the same time (3)
  --output FOLDER      where their reports and logs go (dist/kubernetes-tests)`;

const { values } = parseArgs({
  options: {
    'set-up': { type: 'boolean', default: false },
    'kubernetes-tests': { type: 'boolean', default: false },
    focus: { type: 'string', default: 'LoadBalancers' },
    'at-once': { type: 'string', default: '3' },
    output: { type: 'string', default: join(import.meta.dirname, '../../dist/kubernetes-tests') },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  if (values.help) {
    say(usage);
    return 0;
  }
  if (isInSandbox()) return (await testKubernetes()) ? 0 : 1;
  const problems = await prepare();
  for (const problem of problems) say(problem);
  if (problems.length > 0) return 1;
  if (values['kubernetes-tests']) return prepareAndTest();
  say('All there: npm start -- --cluster runs on it, and npm test includes it.');
  return 0;
}

/** Resolves to what stands in the way. */
async function prepare(): Promise<readonly string[]> {
  const problems = values['set-up'] ? await setUp(say) : [];
  if (problems.length > 0) return problems;
  const obstacle = machineObstacle() ?? (isSetUp() ? undefined : `not set up: ${setUpCommand}`);
  return obstacle === undefined ? [] : [obstacle];
}

/** What needs the network of the machine, and then the sandbox, which has none. */
async function prepareAndTest(): Promise<number> {
  const missing = installMissing(agnhostCommands, say);
  const problems = await ensureBinaries(kubernetesTestPrograms, say);
  if (missing.length > 0) say(`missing: ${missing.join(', ')}`);
  for (const problem of problems) say(problem);
  if (missing.length > 0 || problems.length > 0) return 1;
  mkdirSync(values.output, { recursive: true });
  using tidied = tidyCgroups();
  return await runInSandbox(import.meta.filename, process.argv.slice(2), tidied);
}

async function testKubernetes(): Promise<boolean> {
  const { focus, output: folder } = values;
  return runOnLocalAddresses({ focus, folder, atOnce: Number(values['at-once']) }, say);
}

process.exitCode = await main();
