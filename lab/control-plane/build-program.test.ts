import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { buildObstacle, buildProgram } from './build-program.ts';
import { cacheFolder } from './program-cache.ts';
import { programs } from './programs.ts';

let home = '';
const homes: string[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'purelb-build-'));
  homes.push(home);
});
after(() => {
  for (const folder of homes) rmSync(folder, { recursive: true });
});

/** An environment whose `go` is this shell script. */
function withGo(script: string): NodeJS.ProcessEnv {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const { PATH } = process.env;
  return { PATH: `${bin}:${PATH}`, XDG_CACHE_HOME: home, CALLS: join(home, 'calls') };
}

const compile = 'echo "$CGO_ENABLED $@" >> "$CALLS"; sleep 0.2; echo program > "$3"';
const build = (env: NodeJS.ProcessEnv) => buildProgram('etcd', () => {}, env);
const cached = () => readdirSync(cacheFolder(programs.etcd, { XDG_CACHE_HOME: home })).sort();

test('two who want the same program at once share one build', async () => {
  const env = withGo(`${compile}; chmod +x "$3"`);
  const target = join(cacheFolder(programs.etcd, env), 'etcd');
  assert.deepEqual(await Promise.all([build(env), build(env)]), [target, target]);
  assert.equal(await build(env), target);
  const [call = '', ...more] = readFileSync(join(home, 'calls'), 'utf8').trim().split('\n');
  assert.deepEqual(more, []);
  assert.match(
    call,
    /^0 build -o \S+\/etcd\.partial -mod=readonly -trimpath .*-s -w -X .* go\.etcd\.io\S+$/,
  );
  assert.deepEqual(cached(), ['etcd', 'lock']);
});

test('a build that fails says why and leaves nothing under the final name', async () => {
  const fails =
    'echo half > "$3"; echo "go: downloading x v1.0.0" >&2; echo "no route to host" >&2; exit 1';
  await assert.rejects(build(withGo(fails)), { message: 'no route to host' });
  assert.deepEqual(cached(), ['etcd.partial', 'lock']);
  await build(withGo(`${compile}; chmod +x "$3"`));
  assert.deepEqual(cached(), ['etcd', 'lock']);
});

test('a machine without a Go that is new enough is told so', () => {
  const obstacle = (env: NodeJS.ProcessEnv) => buildObstacle(programs.etcd, env);
  assert.deepEqual(
    [
      obstacle(withGo('echo go version go1.26.8 linux/amd64')),
      obstacle(withGo('echo go version go1.19.8 linux/amd64')),
      obstacle({ PATH: join(home, 'nothing') }),
    ],
    [
      undefined,
      'building needs Go 1.26 or newer, here is: go version go1.19.8 linux/amd64',
      'building needs Go 1.26 or newer, and there is no `go` in the PATH',
    ],
  );
});

test('progress is told as lines', async () => {
  const lines: string[] = [];
  await buildProgram('etcd', (line) => lines.push(line), withGo(`${compile}; chmod +x "$3"`));
  const timeless = lines.map((line) => line.replace(/ \d+ s,/, ' N s,'));
  assert.deepEqual(timeless, [
    'building etcd from go.etcd.io/etcd/server/v3 …',
    'built etcd in N s, 0 MB',
  ]);
});
