/**
 * The sandbox that everything in the lab runs in: private network, mount and process namespaces. No frame can
 * leave it, since its only link to the world is none at all, and nothing in it outlives its first process,
 * however that ends: the kernel cleans up.
 */

import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';

const marker = 'PURELB_SANDBOX';

export function isInSandbox(): boolean {
  return process.env[marker] === '1';
}

/** The command that starts a sandbox: as root directly, else through a user namespace where the kernel allows it. */
function unshareArguments(): readonly string[] {
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  return process.getuid?.() === 0 ? namespaces : ['--user', '--map-root-user', ...namespaces];
}

/** Why no sandbox can be made on this machine, or undefined if one can. */
export function sandboxObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces exist only on Linux';
  const trial = spawnSync('unshare', [...unshareArguments(), 'true'], { encoding: 'utf8' });
  if (trial.error !== undefined)
    return 'the command `unshare` (Debian package util-linux) is missing';
  if (trial.status === 0) return undefined;
  return `this user may not make namespaces (run as root): ${trial.stderr.trim()}`;
}

/** Runs a Node script inside a fresh sandbox and resolves to its exit code. */
export async function runInSandbox(script: string, args: readonly string[]): Promise<number> {
  const setUp = 'mount -t tmpfs lab /run && mkdir /run/netns && ip link set lo up && exec "$@"';
  const child = spawn(
    'unshare',
    [...unshareArguments(), 'sh', '-c', setUp, 'sh', process.execPath, script, ...args],
    { stdio: 'inherit', env: { ...process.env, [marker]: '1' } },
  );
  // The terminal signals the whole foreground group itself; a plain `kill` reaches only this process.
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGTERM', forward);
  process.on('SIGINT', () => {});
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}
