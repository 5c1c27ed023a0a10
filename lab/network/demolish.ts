import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { eventually } from '../eventually.ts';
import { attempt } from '../process/run.ts';

const folder = '/run/netns';

/** Names of the namespaces in this sandbox. */
export function namespaces(): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Ends every process in the namespaces, then deletes them. Those that are gone already are passed over. */
export async function demolish(names: readonly string[]): Promise<void> {
  const present = names.filter((name) => existsSync(`${folder}/${name}`));
  if (present.length === 0) return;
  await eventually(
    () => {
      const left = processesIn(present);
      for (const pid of left) kill(pid);
      if (left.length > 0) throw new Error(`processes ${left.join(', ')} are still there`);
    },
    { withinMs: 5000, everyMs: 5 },
  );
  const input = present.map((name) => `netns delete ${name}\n`).join('');
  const { status, stderr } = await attempt(['ip', '-force', '-batch', '-'], { input });
  if (status !== 0) throw new Error(`could not delete all of ${present.join(', ')}: ${stderr}`);
}

/** Processes of this sandbox whose network is one of these. */
export function processesIn(names: readonly string[]): readonly number[] {
  const wanted = new Set(names.map((name) => `net:[${statSync(`${folder}/${name}`).ino}]`));
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.filter((pid) => wanted.has(networkOf(pid))).map(Number);
}

/** A process's program and its arguments; nothing for one that has just ended. */
export function commandOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Empty for a process that has just ended, or that is a zombie. */
function networkOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself; if not, the next look finds it again.
  }
}
