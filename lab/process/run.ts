import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface RunOptions {
  /** Text for the program's standard input, which is empty otherwise. */
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Output {
  /** Exit code; 128 + signal number for a program that a signal ended. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that ended badly, could not be started or took too long. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code = 'COMMAND_FAILED';
  readonly output: Output;

  constructor(argv: readonly string[], output: Output) {
    const said = (output.stderr.trim() || output.stdout.trim()).slice(0, 2000);
    super(`\`${argv.join(' ')}\` ended with ${output.status}${said === '' ? '' : `: ${said}`}`);
    this.output = output;
  }
}

/** Runs a program to its end; throws a CommandError unless it ended with 0. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Output> {
  const output = await attempt(argv, options);
  if (output.status !== 0) throw new CommandError(argv, output);
  return output;
}

/** Runs a program to its end, however it ends. */
export async function attempt(argv: readonly string[], options: RunOptions = {}): Promise<Output> {
  const [command = '', ...args] = argv;
  const { input = '', timeoutMs = 20_000, env } = options;
  const child = spawn(command, args, {
    stdio: 'pipe',
    env: { ...process.env, ...env },
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  // A program that does not read its input breaks the pipe; its exit code says what matters.
  child.stdin.on('error', () => {}).end(input);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const { promise, resolve, reject } = Promise.withResolvers<Output>();
  child.on('error', (cause) => reject(new Error(`cannot run \`${command}\``, { cause })));
  child.on('close', (code, signal) => {
    const status = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    const killed = signal === null ? '' : `\nended by ${signal}`;
    resolve({ status, stdout: stdout(), stderr: stderr() + killed });
  });
  return promise.finally(() => clearTimeout(timer));
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
