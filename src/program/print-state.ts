/** `PROGRAM state`: prints what the running program knows and decided, in an image without shell or HTTP client. */

import { BrokenPageError, copyPage } from '../runtime/copy-page.ts';
import type { Outlet } from '../runtime/write-all.ts';
import { type Environment, parseFlags, readStateSocket, UsageError } from './command-line.ts';

export interface PrintStateOptions {
  /** `agent` or `allocator`. */
  readonly name: string;
  readonly defaultSocket: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly out: Outlet;
  readonly err: Outlet;
}

const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  ip: { type: 'string' },
  service: { type: 'string' },
  'state-socket': { type: 'string' },
} as const;

/** Resolves to the exit code. */
export async function printState(options: PrintStateOptions): Promise<number> {
  const { name, err } = options;
  try {
    await print(options);
    return 0;
  } catch (error) {
    // The reader of our output has closed it: `| head`.
    if (codeOf(error) === 'EPIPE') return 0;
    err.write(`${name} state: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function print(options: PrintStateOptions): Promise<void> {
  const { name, defaultSocket, args, env, out } = options;
  const values = parseFlags(args, flags);
  if (values.help) {
    out.write(stateUsage(name, defaultSocket));
    return;
  }
  const query = new URLSearchParams();
  if (values.ip !== undefined) query.set('ip', values.ip);
  if (values.service !== undefined) query.set('service', values.service);
  await copyState(readStateSocket(values['state-socket'], env, defaultSocket), query, options);
}

function stateUsage(name: string, defaultSocket: string): string {
  return `Prints what the running ${name} knows and last decided, as JSON.

Usage: ${name} state [flags]

  --service NAMESPACE/NAME   only the decisions about this Service
  --ip ADDRESS               only the decisions about this address (agent)
  --state-socket PATH        of the running ${name} (PURELB_STATE_SOCKET; ${defaultSocket})
  --help                     this text
`;
}

async function copyState(socket: string, query: URLSearchParams, options: PrintStateOptions) {
  const { name, out } = options;
  try {
    const refusal = await copyPage(socket, `/state?${query}`, out);
    if (refusal === undefined) return;
    throw new Error(`the ${name} answers ${refusal.status}: ${refusal.text.trim()}`);
  } catch (error) {
    throw describeFailure(error, socket, name);
  }
}

function describeFailure(error: unknown, socket: string, name: string): unknown {
  const told = (words: string) => new Error(words, { cause: error });
  if (error instanceof BrokenPageError) {
    return told(`the ${name} broke off; what is printed is not all of its state`);
  }
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    const where = `run this in the container of a running ${name}, or give --state-socket`;
    return told(`no ${name} listens on ${socket}; ${where}`);
  }
  if (code === 'EACCES') {
    return told(`this user may not read ${socket}; run this as the user of the ${name}`);
  }
  return error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
