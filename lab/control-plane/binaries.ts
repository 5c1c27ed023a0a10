/** The programs of a control plane, found or built: outside the sandbox, which has no network, before it is entered. */

import { isInSandbox } from '../sandbox.ts';
import { buildObstacle, buildProgram, type Log } from './build-program.ts';
import { findProgram } from './find-program.ts';
import { type ProgramName, programs } from './programs.ts';

/** Resolves to what stands in the way, one sentence each; to nothing when all of them are there. */
export async function ensureBinaries(
  names: readonly ProgramName[],
  log: Log,
): Promise<readonly string[]> {
  const problems = new Set<string>();
  for (const name of names) {
    const problem = await ensureBinary(name, log);
    if (problem !== undefined) problems.add(problem);
  }
  return [...problems];
}

async function ensureBinary(name: ProgramName, log: Log): Promise<string | undefined> {
  const { found, passedOver } = findProgram(name);
  for (const objection of passedOver) log(`not used: ${objection}`);
  if (found !== undefined) {
    log(`${name}: ${found.path} (${found.from})`);
    return undefined;
  }
  if (isInSandbox()) return `${name} cannot be built in the sandbox, which has no network`;
  const obstacle = buildObstacle(programs[name]);
  if (obstacle !== undefined) return obstacle;
  try {
    await buildProgram(name, log);
    return undefined;
  } catch (error) {
    return `cannot build ${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** For `test(name, { skip: missingBinaries('etcd') }, …)`: false when all are there, else why not. */
export function missingBinaries(...names: readonly ProgramName[]): string | false {
  const absent = names.filter((name) => findProgram(name).found === undefined);
  if (absent.length === 0) return false;
  return `missing ${absent.join(', ')}: build once with node lab/control-plane/build.ts`;
}

export function binaryPath(name: ProgramName): string {
  const { found } = findProgram(name);
  if (found !== undefined) return found.path;
  throw new Error(`${missingBinaries(name)}`);
}
