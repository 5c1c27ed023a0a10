import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { findProgram } from './find-program.ts';
import { cacheFolder, type Environment } from './program-cache.ts';
import { programs } from './programs.ts';

let home = '';
const homes: string[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'purelb-find-'));
  homes.push(home);
});
after(() => {
  for (const folder of homes) rmSync(folder, { recursive: true });
});

/** Puts a kubectl that says `version` into a folder of the home. */
function install(folder: string, version: string, mode = 0o755): string {
  const path = join(home, folder);
  mkdirSync(path, { recursive: true });
  const script = `#!/bin/sh\n[ "$*" = "version --client" ] && echo "Client Version: ${version}"\n`;
  writeFileSync(join(path, 'kubectl'), script, { mode });
  return path;
}

/** What is found, with the home's path left out. */
function find(env: Environment) {
  const { found, passedOver } = findProgram('kubectl', { HOME: home, ...env });
  const short = (text: string) => text.replaceAll(home, '~').replace(/[0-9a-f]{16}/, 'KEY');
  return {
    found: found === undefined ? 'none' : `${short(found.path)} from ${found.from}`,
    passedOver: passedOver.map(short),
  };
}

const cached = () => install(cacheFolder(programs.kubectl, {}).replace(/.*(?=\.cache)/, ''), '');

test('KUBEBUILDER_ASSETS comes before the PATH, the PATH before the cache', () => {
  const assets = install('assets', 'v1.36.3');
  const path = `${home}/nothing:${install('bin', 'v1.34.0')}`;
  cached();
  const seen = [{ KUBEBUILDER_ASSETS: assets, PATH: path }, { PATH: path }, {}].map(find);
  assert.deepEqual(seen, [
    { found: '~/assets/kubectl from KUBEBUILDER_ASSETS', passedOver: [] },
    { found: '~/bin/kubectl from PATH', passedOver: [] },
    { found: '~/.cache/purelb/bin/KEY/kubectl from cache', passedOver: [] },
  ]);
});

test('a program that is too old or tells no version is passed over with the reason', () => {
  const assets = install('assets', 'a secret');
  const path = install('bin', 'v1.32.4');
  assert.deepEqual(find({ KUBEBUILDER_ASSETS: assets, PATH: path }), {
    found: 'none',
    passedOver: [
      '~/assets/kubectl does not tell its version',
      '~/bin/kubectl is version 1.32, needed is 1.33 or newer',
    ],
  });
  cached();
  assert.equal(find({ PATH: path }).found, '~/.cache/purelb/bin/KEY/kubectl from cache');
});

test('a file that cannot be executed is no program', () => {
  const path = `${install('bin', 'v1.36.3', 0o644)}:${install('sbin', 'v1.36.3')}`;
  assert.deepEqual(find({ PATH: path }), { found: '~/sbin/kubectl from PATH', passedOver: [] });
});

test('the cache follows XDG_CACHE_HOME and is keyed by what the build depends on', () => {
  const folder = (goMod: string, goSum: string) => {
    writeFileSync(join(home, 'go.mod'), goMod);
    writeFileSync(join(home, 'go.sum'), goSum);
    return cacheFolder({ ...programs.kubectl, module: home }, { XDG_CACHE_HOME: '/x', HOME: '/y' });
  };
  const folders = [folder('a', 'b'), folder('a', 'c'), folder('b', 'b'), folder('a', 'b')];
  for (const path of folders) assert.match(path, /^\/x\/purelb\/bin\/[0-9a-f]{16}$/);
  assert.equal(new Set(folders).size, 3);
});
