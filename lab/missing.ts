import { isInstalled, packageOf } from '../scripts/system-packages.ts';
import { isInSandbox, isUserMapped, sandboxObstacle } from './sandbox.ts';

/** For `test(name, { skip: missing('tcpdump') }, …)`: false when the sandbox and all commands are there, else why not. */
export function missing(...commands: readonly string[]): string | false {
  if (!isInSandbox()) return sandboxObstacle() ?? 'needs the sandbox: npm run live -- FILE';
  const absent = commands.filter((command) => !isInstalled(command));
  if (absent.length > 0)
    return `missing ${absent.map((name) => `${name} (Debian package ${packageOf[name] ?? name})`).join(', ')}`;
  // It insists on changing its groups, which a user namespace made without privileges forbids.
  if (commands.includes('tcpdump') && isUserMapped()) return 'tcpdump needs a sandbox made by root';
  return false;
}
