import { join } from 'node:path';
import type { Ip } from '../../src/model/ip.ts';
import type { Host } from '../network/host.ts';

export interface Question {
  readonly protocol: 'TCP' | 'UDP';
  readonly to: Ip;
  readonly port: number;
}

export interface AskConfig {
  readonly questions: readonly Question[];
  readonly withinMs: number;
}

/**
 * Asks responders, each question on a connection of its own and all at once. In place of the name of who answered
 * stands `silence`, or the error code of a refusal.
 */
export async function ask(
  host: Host,
  questions: readonly Question[],
  withinMs = 1000,
): Promise<readonly string[]> {
  const config: AskConfig = { questions, withinMs };
  const program = join(import.meta.dirname, 'ask-program.ts');
  const { stdout } = await host.run([process.execPath, program, JSON.stringify(config)]);
  return JSON.parse(stdout) as readonly string[];
}
