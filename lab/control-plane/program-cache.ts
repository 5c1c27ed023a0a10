/** Where built programs are kept, and the flags that they are built with. */

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Program } from './programs.ts';

/** The variables that say where to look. */
export interface Environment {
  readonly KUBEBUILDER_ASSETS?: string | undefined;
  readonly PATH?: string | undefined;
  readonly XDG_CACHE_HOME?: string | undefined;
  readonly HOME?: string | undefined;
}

export function moduleFolder({ module }: Program): string {
  return resolve(import.meta.dirname, module);
}

/** Outside the checkout, and a new one whenever anything changes that a build depends on. */
export function cacheFolder(program: Program, env: Environment = process.env): string {
  const base = env.XDG_CACHE_HOME || join(env.HOME ?? homedir(), '.cache');
  const pinned = ['go.mod', 'go.sum'].map((name) => readPinned(program, name));
  const key = JSON.stringify([...pinned, buildFlags(program), process.arch]);
  return join(base, 'purelb', 'bin', hash('sha256', key).slice(0, 16));
}

/** No paths of this machine and no debug tables in it; with CGO_ENABLED=0 it is linked statically as well. */
export function buildFlags(program: Program): readonly string[] {
  const flags = ['-s', '-w', ...kubernetesVersion(readPinned(program, 'go.mod'))];
  return ['-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=${flags.join(' ')}`];
}

/** Built from a module, Kubernetes does not know its own version and says v0.0.0. */
function kubernetesVersion(goMod: string): readonly string[] {
  const [, version, major, minor] = /\bk8s\.io\/kubernetes (v(\d+)\.(\d+)\.\S+)/.exec(goMod) ?? [];
  if (version === undefined) return [];
  return Object.entries({ gitVersion: version, gitMajor: major, gitMinor: minor }).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
}

/** The Go release that the module asks for, as major and minor. */
export function wantedGo(program: Program): readonly [number, number] {
  const [, major, minor] = /^go (\d+)\.(\d+)/m.exec(readPinned(program, 'go.mod')) ?? [];
  return [Number(major), Number(minor)];
}

function readPinned(program: Program, name: string): string {
  return readFileSync(join(moduleFolder(program), name), 'utf8');
}
