/**
 * containerd and runc of the system's own package archive, unpacked into the cache: nothing is installed, so that no
 * service starts and nothing of the machine changes.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from '../../scripts/system-packages.ts';

type Log = (line: string) => void;

const packages = ['containerd', 'runc'] as const;
const commands = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc'] as const;
export type RuntimeCommand = (typeof commands)[number];

/** A new one for every release of the system. */
function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const system = /^(ID|VERSION_ID)=.*/gm;
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const key = JSON.stringify([packages, process.arch, release.match(system)]);
  return join(base, 'purelb', 'real-cluster', hash('sha256', key).slice(0, 16));
}

/** Where the commands are, in the cache. */
export function runtimePath(command: RuntimeCommand): string {
  return join(cacheFolder(), command === 'runc' ? 'usr/sbin' : 'usr/bin', command);
}

export function missingRuntime(): readonly string[] {
  return commands.filter((command) => !existsSync(runtimePath(command)));
}

/** Resolves to what stands in the way, or to undefined when all is there. */
export function ensureRuntime(log: Log): string | undefined {
  if (missingRuntime().length === 0) return undefined;
  const absent = ['apt-get', 'dpkg'].filter((command) => !isInstalled(command));
  if (absent.length > 0) {
    return `${packages.join(' and ')} are taken from Debian packages, and there is no ${absent.join(', ')} here`;
  }
  const target = cacheFolder();
  mkdirSync(join(target, '..'), { recursive: true });
  const fresh = mkdtempSync(`${target}.`);
  try {
    log(`fetching ${packages.join(' and ')} …`);
    const obstacle = download(fresh);
    if (obstacle !== undefined) return obstacle;
    const archives = readdirSync(fresh).filter((name) => name.endsWith('.deb'));
    for (const name of archives) execFileSync('dpkg', ['-x', join(fresh, name), fresh]);
    for (const name of archives) rmSync(join(fresh, name));
    // Another set-up may have been faster, with the same result.
    if (missingRuntime().length > 0) renameSync(fresh, target);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  log(`unpacked ${packages.join(' and ')} into ${target}`);
  return undefined;
}

function download(folder: string): string | undefined {
  const fetch = () =>
    spawnSync('apt-get', ['download', '-qq', ...packages], { cwd: folder, encoding: 'utf8' });
  let tried = fetch();
  // An old or empty package list is the usual reason.
  if (tried.status !== 0 && spawnSync('apt-get', ['update', '-qq']).status === 0) tried = fetch();
  return tried.status === 0
    ? undefined
    : `apt-get cannot fetch ${packages.join(' and ')}: ${tried.stderr.trim().split('\n').at(-1)}`;
}
