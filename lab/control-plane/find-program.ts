/** Looks for a program: where the user says (KUBEBUILDER_ASSETS), in the PATH, then in our own cache. */

import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder, type Environment } from './program-cache.ts';
import { isAtLeast, type Program, type ProgramName, programs, readVersion } from './programs.ts';

export interface Found {
  readonly path: string;
  readonly from: 'KUBEBUILDER_ASSETS' | 'PATH' | 'cache';
}

export interface Search {
  readonly found?: Found;
  /** Programs of the right name that will not do, each with the reason. */
  readonly passedOver: readonly string[];
}

export function findProgram(name: ProgramName, env: Environment = process.env): Search {
  const passedOver: string[] = [];
  for (const found of candidates(name, env)) {
    // What is in the cache was built for us, and its folder tells the version.
    const objection = found.from === 'cache' ? undefined : objectionTo(found.path, programs[name]);
    if (objection === undefined) return { found, passedOver };
    passedOver.push(`${found.path} ${objection}`);
  }
  return { passedOver };
}

function candidates(name: ProgramName, env: Environment): readonly Found[] {
  const folders = {
    KUBEBUILDER_ASSETS: [env.KUBEBUILDER_ASSETS ?? ''],
    PATH: (env.PATH ?? '').split(delimiter),
    cache: [cacheFolder(programs[name], env)],
  };
  return (['KUBEBUILDER_ASSETS', 'PATH', 'cache'] as const).flatMap((from) => {
    const paths = folders[from].filter((folder) => folder !== '').map((it) => join(it, name));
    const first = paths.find(isExecutable);
    return first === undefined ? [] : [{ path: first, from }];
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function objectionTo(path: string, { version, minimum }: Program): string | undefined {
  const asked = spawnSync(path, version, { encoding: 'utf8', timeout: 20_000 });
  const found = readVersion(`${asked.stdout ?? ''}${asked.stderr ?? ''}`);
  if (found === undefined) return 'does not tell its version';
  if (isAtLeast(found, minimum)) return undefined;
  return `is version ${found.join('.')}, needed is ${minimum.join('.')} or newer`;
}
