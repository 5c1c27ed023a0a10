/** What a real cluster takes: programs built from Go modules, and packages of the system, both cached. */

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
  return cgroupObstacle();
}

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
