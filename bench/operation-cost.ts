/** What an operation costs: by this process, and by a command beside it. */

import { spawnSync } from 'node:child_process';

export interface Cost {
  readonly wallMs: number;
  /** User and system time together. */
  readonly cpuMs: number;
}

export async function costOf(operation: () => Promise<unknown>): Promise<Cost> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await operation();
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

/** As the shell's `time` has it: from fork to exit of the command, without the shell itself. */
export function costOfCommand(command: string): Cost {
  const script = `TIMEFORMAT='%3R %3U %3S'; time ${command} >/dev/null 2>&1`;
  const { stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  const [real, user, system] = stderr.trim().split(' ').map(Number);
  if (status !== 0 || real === undefined || user === undefined || system === undefined) {
    throw new Error(`${command} failed: ${stderr}`);
  }
  return { wallMs: real * 1000, cpuMs: (user + system) * 1000 };
}
