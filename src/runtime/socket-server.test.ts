import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { HttpRoutes, reply } from './http-routes.ts';
import { ManualClock } from './manual-clock.ts';
import { startSocketServer } from './socket-server.ts';

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-socket-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const serve = (path: string) =>
  startSocketServer({
    path,
    routes: new HttpRoutes().add('/a', () => reply(200, 'here\n')),
    clock: new ManualClock(),
    onError: (where, error) => assert.fail(`${where}: ${String(error)}`),
  });

async function read(socketPath: string): Promise<string> {
  const asked = get({ socketPath, path: '/a', agent: false });
  const [response] = await once(asked, 'response');
  return text(response);
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('only the owner can reach it: mode 600 in a folder of mode 700', async (t) => {
  const path = join(folderFor(t), 'made', 'a.sock');
  const server = await serve(path);
  t.after(() => server.close());
  assert.equal(await read(path), 'here\n');
  assert.deepEqual([modeOf(path), modeOf(join(path, '..'))], ['600', '700']);
});

test('a folder that exists keeps its mode: it may be /run, or the root', async (t) => {
  const folder = folderFor(t);
  chmodSync(folder, 0o755);
  const path = join(folder, 'a.sock');
  const server = await serve(path);
  t.after(() => server.close());
  assert.deepEqual([modeOf(folder), modeOf(path)], ['755', '600']);
});

test('the socket of a process that is gone is replaced', async (t) => {
  const path = join(folderFor(t), 'a.sock');
  const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['--eval', program]);
  assert.ok(existsSync(path));
  const server = await serve(path);
  t.after(() => server.close());
  assert.equal(await read(path), 'here\n');
});

test('a socket that another process serves is left alone', async (t) => {
  const path = join(folderFor(t), 'a.sock');
  const other = createServer((socket) => socket.destroy()).listen(path);
  t.after(() => other.close());
  await once(other, 'listening');
  await assert.rejects(serve(path), {
    message: `cannot listen on ${path}: another process listens there; stop it first`,
  });
});

test('a file that is no socket is never removed', async (t) => {
  const path = join(folderFor(t), 'a.sock');
  writeFileSync(path, 'precious');
  await assert.rejects(serve(path), /there is a file of this name that is no socket/);
  assert.equal(readFileSync(path, 'utf8'), 'precious');
});

test('a folder that cannot be written to is told with what to do', async (t) => {
  const file = join(folderFor(t), 'file');
  writeFileSync(file, '');
  await assert.rejects(serve(join(file, 'a.sock')), /cannot listen on .*file\/a\.sock: /);
  await assert.rejects(serve(`/${'x'.repeat(120)}`), /cannot listen on /);
});
