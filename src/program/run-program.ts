/** The life of a process: what it was told, the API server, start, and an end in good order. */

import type { ApiServerConfig } from '../kube/api-server-config.ts';
import { findApiServer } from '../kube/find-api-server.ts';
import { podNamespace } from '../kube/pod-namespace.ts';
import type { Clock } from '../runtime/clock.ts';
import { Lateness } from '../runtime/lateness.ts';
import { Lifecycle } from '../runtime/lifecycle.ts';
import { type Level, Log, type LogFields } from '../runtime/log.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { type Environment, UsageError } from './command-line.ts';
import { printState } from './print-state.ts';

/** What every program is told. */
export interface ProgramOptions {
  /** As told; empty when nobody said it. */
  readonly namespace: string;
  /** All addresses of the machine when empty. */
  readonly host: string;
  readonly port: number;
  /** Path of the unix socket that state is read from; empty: it is not served. */
  readonly stateSocket: string;
  readonly kubeconfig: string | undefined;
  readonly logLevel: Level;
}

export interface ProgramSetup<Options extends ProgramOptions> {
  /** `namespace` is the one that was found, not only the one that was told. */
  readonly options: Options;
  readonly apiServer: ApiServerConfig;
  readonly clock: Clock;
  /** Of that clock's timers. */
  readonly lateness: Lateness;
  readonly random: () => number;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
}

interface NamedSocket {
  readonly name: string;
  /** Where its state is read unless it is told otherwise. */
  readonly stateSocket: string;
}

export interface Program<Options extends ProgramOptions> extends NamedSocket {
  readonly usage: string;
  readOptions(args: readonly string[], env: Environment): Options | 'help';
  /** For the first line of the log. */
  describe(options: Options): LogFields;
  /** Resolves to the port that it listens on, once it runs. */
  start(setup: ProgramSetup<Options>): Promise<{ readonly port: number }>;
}

/**
 * Runs the program; with `state` as first argument it prints the state of the one that runs already. Does not return a
 * promise: bundled into one file it is CommonJS, and a failure ends the process by its lifecycle.
 */
export function runProgram<Options extends ProgramOptions>(program: Program<Options>): void {
  const [command, ...args] = process.argv.slice(2);
  if (command === 'state') void printOwnState(program, args);
  else startInProcess(program);
}

async function printOwnState({ name, stateSocket: defaultSocket }: NamedSocket, args: string[]) {
  const { env, stdout: out, stderr: err } = process;
  process.exitCode = await printState({ name, defaultSocket, args, env, out, err });
}

function startInProcess<Options extends ProgramOptions>(program: Program<Options>): void {
  const told = optionsOrExit(program);
  const options = { ...told, namespace: told.namespace || podNamespace() };
  const { kubeconfig, logLevel, namespace } = options;
  const lateness = new Lateness();
  const clock = new SystemClock({ onLate: (lateMs) => lateness.note(lateMs) });
  const log = Log.create({ level: logLevel });
  const lifecycle = new Lifecycle({ log, clock });
  void lifecycle.run(async () => {
    const { name, describe } = program;
    const runtime = process.version;
    log.info('Starting', { program: name, runtime, namespace, logLevel, ...describe(options) });
    const apiServer = await findApiServer({ env: process.env, kubeconfig });
    const random = Math.random;
    const world = { apiServer, clock, lateness, random, log, lifecycle };
    const { port } = await program.start({ options, ...world });
    log.info('Started', { port, server: apiServer.server });
  });
}

function optionsOrExit<Options extends ProgramOptions>(program: Program<Options>): Options {
  try {
    const options = program.readOptions(process.argv.slice(2), process.env);
    if (options !== 'help') return options;
    process.stdout.write(program.usage);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const hint = 'Run it with --help for all flags.';
    process.stderr.write(`${program.name}: ${error.message}\n${hint}\n`);
    process.exit(2);
  }
}
