/** One question to a Service, from anywhere in the lab. */

import { join } from 'node:path';
import { run } from '../process/run.ts';
import { compileCache } from './compile-cache.ts';

export interface WebAnswer {
  readonly pod: string;
  readonly node: string;
  /** Whom the pod saw asking. */
  readonly client: string;
}

/** A code such as ECONNREFUSED, or `silence`. */
export type NoAnswer = string;

const program = join(import.meta.dirname, 'ask-program.ts');

/** `entry` is the command that leads to where it is asked from: `host.entry`, or that of a pod. */
export async function askWeb(entry: readonly string[], ip: string): Promise<WebAnswer | NoAnswer> {
  return ask(entry, ['web', ip, '80']);
}

/** Resolves to the name of the pod that echoed the datagram. */
export async function askEcho(entry: readonly string[], ip: string): Promise<string | NoAnswer> {
  return ask(entry, ['echo', ip, '7777']);
}

async function ask<T>(entry: readonly string[], args: readonly string[]): Promise<T> {
  const argv = [...entry, process.execPath, program, ...args];
  const { stdout } = await run(argv, { env: compileCache() });
  return JSON.parse(stdout) as T;
}
