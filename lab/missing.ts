import { spawnSync } from 'node:child_process';
import { isInSandbox, sandboxObstacle } from './sandbox.ts';

/** Debian package of each command that a live test may ask for. */
const packageOf: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  bridge: 'iproute2',
  ping: 'iputils-ping',
  tcpdump: 'tcpdump',
  nft: 'nftables',
  arping: 'iputils-arping',
};

/** For `test(name, { skip: missing('tcpdump') }, …)`: false when the sandbox and all commands are there, else why not. */
export function missing(...commands: readonly string[]): string | false {
  if (!isInSandbox()) return sandboxObstacle() ?? 'needs the sandbox: npm run live -- FILE';
  const absent = commands.filter((command) => !isInstalled(command));
  if (absent.length === 0) return false;
  return `missing ${absent.map((name) => `${name} (Debian package ${packageOf[name] ?? name})`).join(', ')}`;
}

function isInstalled(command: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
}
