/** `node src/allocator/main.ts --help` */

import { findApiServer } from '../kube/find-api-server.ts';
import { podNamespace } from '../kube/pod-namespace.ts';
import { Lifecycle } from '../runtime/lifecycle.ts';
import { Log } from '../runtime/log.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { type AllocatorOptions, readOptions, UsageError, usage } from './allocator-options.ts';
import { startProgram } from './allocator-program.ts';

function optionsOrExit(): AllocatorOptions {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options !== 'help') return options;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`allocator: ${error.message}\nRun it with --help for all flags.\n`);
    process.exit(2);
  }
}

const told = optionsOrExit();
const options = { ...told, namespace: told.namespace || podNamespace() };
const clock = new SystemClock();
const log = Log.create({ level: options.logLevel });
const lifecycle = new Lifecycle({ log, clock });

// Not awaited: as one file in the image this is CommonJS. A failure ends the process through the lifecycle.
void lifecycle.run(async () => {
  log.info('Starting', {
    program: 'allocator',
    node: process.version,
    namespace: options.namespace,
    isDefaultAnnouncer: options.isDefaultAnnouncer,
    logLevel: options.logLevel,
  });
  const apiServer = await findApiServer({ env: process.env, kubeconfig: options.kubeconfig });
  const random = Math.random;
  const { port } = await startProgram({ options, apiServer, clock, random, log, lifecycle });
  log.info('Started', { port, server: apiServer.server });
});
