/** What tests, benches and the playground need from the system, and the Debian packages that bring it. */

import { spawnSync } from 'node:child_process';

export const packageOf: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  bridge: 'iproute2',
  ping: 'iputils-ping',
  arping: 'iputils-arping',
  tcpdump: 'tcpdump',
  nft: 'nftables',
  iptables: 'iptables',
  strace: 'strace',
  'linux.uml': 'user-mode-linux',
  insmod: 'kmod',
  nc: 'netcat-openbsd',
  vtysh: 'frr',
  bird: 'bird2',
  faketime: 'faketime',
};

export function isInstalled(command: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', command]).status === 0;
}

/** Installs what is missing where root and apt allow it, and returns the commands that are still missing. */
export function installMissing(
  commands: readonly string[],
  log: (line: string) => void,
): readonly string[] {
  const absent = commands.filter((command) => !isInstalled(command));
  if (absent.length === 0) return [];
  const packages = [...new Set(absent.map((command) => packageOf[command] ?? command))];
  if (process.getuid?.() !== 0 || !isInstalled('apt-get')) {
    log(`missing: ${absent.join(', ')}; as root: apt-get install ${packages.join(' ')}`);
    return absent;
  }
  log(`installing ${packages.join(', ')} …`);
  if (!install(packages)) {
    // An old or empty package list is the usual reason.
    aptGet(['update', '-qq']);
    for (const name of packages) if (!install([name])) log(`could not install ${name}`);
  }
  return absent.filter((command) => !isInstalled(command));
}

function install(packages: readonly string[]): boolean {
  return aptGet(['install', '-y', '-qq', '--no-install-recommends', ...packages]);
}

function aptGet(args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { stdio: 'ignore', env, timeout: 300_000 }).status === 0;
}
