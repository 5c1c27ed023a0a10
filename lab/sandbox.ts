/**
 * The sandbox that everything in the lab runs in: private network, mount and process namespaces. No frame can
 * leave it, since its only link to the world is none at all. Nothing in it outlives its first process, and that one
 * dies with the process that made the sandbox, however they end: the kernel cleans up.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

const marker = 'PURELB_SANDBOX';
const outerPid = 'PURELB_SANDBOX_PID';

export function isInSandbox(): boolean {
  return process.env[marker] === '1';
}

/** The process id that the first process of this sandbox has outside of it. */
export function sandboxPid(): number {
  return Number(process.env[outerPid]);
}

/** The command by which the same user, in another terminal, joins the sandbox that this process is in. */
export function joinCommand(): string {
  const target = `nsenter -t ${sandboxPid()}`;
  return isUserMapped() ? `${target} -U -m -n -p --preserve-credentials` : `${target} -a`;
}

/** Whether this process is root only by the grace of a user namespace. */
export function isUserMapped(): boolean {
  return readFileSync('/proc/self/setgroups', 'utf8').trim() === 'deny';
}

/** As root directly, else through a user namespace where the kernel allows it. */
function unshareArguments(): readonly string[] {
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child'];
  return process.getuid?.() === 0 ? namespaces : ['--user', '--map-root-user', ...namespaces];
}

const mounts = 'mount -t proc proc /proc && mount -t tmpfs lab /run';

/** Why no sandbox can be made on this machine, or undefined if one can. */
export function sandboxObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces exist only on Linux';
  const trial = spawnSync('unshare', [...unshareArguments(), 'sh', '-c', mounts], {
    encoding: 'utf8',
  });
  if (trial.error !== undefined)
    return 'the command `unshare` (Debian package util-linux) is missing';
  if (trial.status === 0) return undefined;
  return `this user may not make namespaces (run as root): ${trial.stderr.trim()}`;
}

/** /proc still shows the process ids of outside when the first line reads our own. */
const setUp = `
read -r ${outerPid} _ < /proc/self/stat && export ${outerPid} &&
${mounts} && mkdir /run/netns && ip link set lo up && exec "$@"`;

export interface SandboxOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Open files that the script gets as 3, 4, … */
  readonly descriptors?: readonly number[];
  /** Called when the script has them. */
  readonly onStarted?: () => void;
}

/** Runs a Node script inside a fresh sandbox and resolves to its exit code. */
export async function runInSandbox(
  script: string,
  args: readonly string[],
  { env, descriptors = [], onStarted = () => {} }: SandboxOptions = {},
): Promise<number> {
  const inside = ['sh', '-c', setUp, 'sh', process.execPath, script, ...args];
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', ...unshareArguments(), ...inside],
    {
      stdio: ['inherit', 'inherit', 'inherit', ...descriptors],
      env: { ...process.env, ...env, [marker]: '1' },
    },
  );
  onStarted();
  const terminate = () => endFirstProcess(child);
  // The terminal signals the whole foreground group itself; a plain `kill` reaches only this process.
  const interrupt = () => {};
  process.on('SIGTERM', terminate).on('SIGINT', interrupt);
  try {
    return await exitCode(child);
  } finally {
    process.off('SIGTERM', terminate).off('SIGINT', interrupt);
  }
}

const patienceMs = 10_000;

/** `unshare` does not pass SIGTERM on, and the first process of a sandbox may have no ear for it. */
function endFirstProcess(unshare: ChildProcess): void {
  const children = `/proc/${unshare.pid}/task/${unshare.pid}/children`;
  const [first] = readFileSync(children, 'utf8').trim().split(' ');
  if (first) process.kill(Number(first), 'SIGTERM');
  setTimeout(() => unshare.kill('SIGKILL'), patienceMs).unref();
}

async function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}
