import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { HttpRoutes, reply } from '../runtime/http-routes.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { startSocketServer } from '../runtime/socket-server.ts';
import { printState } from './print-state.ts';

async function serve(t: TestContext, routes: HttpRoutes): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-state-'));
  const path = join(folder, 'agent.sock');
  const clock = new ManualClock();
  const server = await startSocketServer({ path, routes, clock, onError: () => {} });
  t.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  return path;
}

/** What it prints; each write takes a while, as over a slow terminal. */
async function run(defaultSocket: string, args: readonly string[] = [], env = {}) {
  let printed = '';
  let told = '';
  const out = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      printed += chunk;
      setImmediate(done);
    },
  });
  const err = new Writable({
    write(chunk, _encoding, done) {
      told += chunk;
      done();
    },
  });
  const code = await printState({ name: 'agent', defaultSocket, args, env, out, err });
  return { code, printed, told };
}

test('state is printed as it is served, and flags narrow it', async (t) => {
  const items = Array.from({ length: 20_000 }, (_, number) => ({ number }));
  const routes = new HttpRoutes().addJson('/state', (query) => ({
    asked: Object.fromEntries(query),
    items,
  }));
  const path = await serve(t, routes);
  const all = await run(path);
  assert.deepEqual([all.code, all.told], [0, '']);
  assert.deepEqual(JSON.parse(all.printed), { asked: {}, items });
  const some = await run('/nowhere', [
    '--state-socket',
    path,
    '--service',
    'a/b c',
    '--ip=192.0.2.1',
  ]);
  assert.deepEqual(JSON.parse(some.printed).asked, { service: 'a/b c', ip: '192.0.2.1' });
  const told = await run('/nowhere', [], { PURELB_STATE_SOCKET: path });
  assert.equal(told.code, 0);
});

test('where no program listens, that is said with what to do', async () => {
  const { code, printed, told } = await run('/nowhere/agent.sock');
  assert.deepEqual([code, printed], [1, '']);
  assert.equal(
    told,
    'agent state: no agent listens on /nowhere/agent.sock; run this in the container of a running agent, or give --state-socket\n',
  );
});

test('a refusal is printed, with what the program said', async (t) => {
  const path = await serve(
    t,
    new HttpRoutes().add('/state', () => reply(503, 'try again\n')),
  );
  const { code, told } = await run(path);
  assert.deepEqual([code, told], [1, 'agent state: the agent answers 503: try again\n']);
});

test('state that breaks off is no success', async (t) => {
  function* broken() {
    yield 'x'.repeat(100_000);
    throw new Error('broken');
  }
  const path = await serve(
    t,
    new HttpRoutes().addJson('/state', () => ({ items: broken() })),
  );
  const { code, told } = await run(path);
  assert.equal(code, 1);
  assert.equal(told, 'agent state: the agent broke off; what is printed is not all of its state\n');
});

test('a reader that has had enough is no failure', async (t) => {
  const path = await serve(
    t,
    new HttpRoutes().addJson('/state', () => ['x'.repeat(100_000)]),
  );
  const out = new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    },
  });
  const err = new Writable({ write: (_chunk, _encoding, done) => done() });
  const told = { name: 'agent', defaultSocket: path, args: [], env: {}, out, err };
  assert.equal(await printState(told), 0);
});

test('its flags are printed, and others are refused', async () => {
  const { code, printed } = await run('/run/purelb/agent.sock', ['--help']);
  assert.equal(code, 0);
  for (const flag of ['--service', '--ip', '--state-socket']) assert.ok(printed.includes(flag));
  const refused = await run('/nowhere', ['--servic', 'a/b']);
  assert.equal(refused.code, 2);
  assert.match(refused.told, /did you mean --service\?/);
});
