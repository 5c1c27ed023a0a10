/** What a real cluster takes: programs built from Go modules, and packages of the system, both cached. */

import { readFileSync } from 'node:fs';
import { ensureBinaries, missingBinaries } from '../control-plane/binaries.ts';
import { realClusterPrograms } from '../control-plane/programs.ts';
import { missing } from '../missing.ts';
import { isUserMapped } from '../sandbox.ts';
import { cgroupObstacle } from './cgroups.ts';
import { ensureRuntime, missingRuntime } from './packages.ts';

export const setUpCommand = 'npm run real-cluster -- --set-up';

/** Resolves to what stands in the way, one sentence each. Takes a quarter of an hour the first time. */
export async function setUp(log: (line: string) => void): Promise<readonly string[]> {
  const obstacle = machineObstacle() ?? ensureRuntime(log);
  if (obstacle !== undefined) return [obstacle];
  return ensureBinaries(realClusterPrograms, log);
}

/** Why this machine cannot run one, whatever is set up. */
export function machineObstacle(): string | undefined {
  if (process.getuid?.() !== 0 || isUserMapped()) return 'a real cluster needs root';
  if (!/\boverlay$/m.test(readFileSync('/proc/filesystems', 'utf8')))
    return 'a real cluster needs the overlay file system (modprobe overlay)';
  if (process.availableMemory() < leastMemory)
    return `a real cluster needs ${leastMemory / 1e9} GB of free memory`;
  return cgroupObstacle();
}

/** Three nodes with PureLB take 2.1 GB, of which images and whatever nodes write are a half. */
const leastMemory = 4e9;

/** For `test(name, { skip: missingRealCluster() }, …)`: false when one can be started here, else why not. */
export function missingRealCluster(): string | false {
  const sandbox = missing('ip', 'nft', 'unshare', 'nsenter', 'pivot_root');
  if (sandbox !== false) return sandbox;
  const obstacle = machineObstacle();
  if (obstacle !== undefined) return obstacle;
  return isSetUp() ? false : `no real cluster is set up here: ${setUpCommand}`;
}

export function isSetUp(): boolean {
  return missingRuntime().length === 0 && missingBinaries(...realClusterPrograms) === false;
}
