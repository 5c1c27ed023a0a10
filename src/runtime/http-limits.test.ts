import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpRoutes, reply } from './http-routes.ts';
import { type HttpLimits, type HttpServer, startHttpServer } from './http-server.ts';
import { ManualClock } from './manual-clock.ts';
import { Metrics } from './metrics.ts';

async function start(t: TestContext, routes: HttpRoutes, limits: Partial<HttpLimits> = {}) {
  const clock = new ManualClock();
  const onError = (where: string, error: unknown) => assert.fail(`${where}: ${String(error)}`);
  const options = { host: '127.0.0.1', port: 0, routes, clock, onError, limits };
  const server = await startHttpServer(options);
  t.after(async () => {
    const closed = server.close();
    await clock.advance(1_000);
    await closed;
  });
  return { server, clock };
}

/** A connection over which `text` is sent, and from which nothing is read until it is resumed. */
async function open(t: TestContext, { port }: HttpServer, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write(text);
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Everything that comes until the server ends the connection. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
  return text;
}

async function statusOf(t: TestContext, server: HttpServer, path: string): Promise<string> {
  const socket = await open(
    t,
    server,
    get(path).replace('Host: a', 'Host: a\r\nConnection: close'),
  );
  return (await readAll(socket)).split('\r\n')[0] ?? '';
}

/** Far more than the kernel keeps for a client that does not read, and never all of it at once. */
function* long(size = 256 * 1024 * 1024): Generator<string> {
  const item = 'x'.repeat(1024);
  for (let sent = 0; sent < size; sent += item.length) yield item;
}

const soonMs = 250;
const timeout = 20_000;

/** The status of an answer of which no more is read than its first piece. */
async function statusUnread(socket: Socket): Promise<number> {
  const [chunk] = (await once(socket.resume(), 'data')) as [Buffer];
  socket.pause();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1]);
}

test('60 clients that do not read a long state cost little memory, and all but two are refused', {
  timeout,
}, async (t) => {
  const routes = new HttpRoutes().addJson('/state', () => ({ items: long() }));
  const { server } = await start(t, routes);
  const before = process.memoryUsage().rss;
  const clients = await Promise.all(
    Array.from({ length: 60 }, () => open(t, server, get('/state'))),
  );
  const statuses = await Promise.all(clients.map(statusUnread));
  assert.deepEqual(statuses.filter((status) => status === 200).length, 2);
  assert.deepEqual(statuses.filter((status) => status === 503).length, 58);
  await pause(soonMs);
  const grownMb = (process.memoryUsage().rss - before) / 2 ** 20;
  assert.ok(grownMb < 24, `${grownMb} MB more`);
});

test('a place among the readers is free again once one of them is answered', {
  timeout,
}, async (t) => {
  const { server } = await start(
    t,
    new HttpRoutes().addJson('/state', () => 1, 1),
  );
  for (let round = 0; round < 3; round += 1) {
    assert.equal(await statusOf(t, server, '/state'), 'HTTP/1.1 200 OK');
  }
});

test('a refused reader is told when to come back', { timeout }, async (t) => {
  const routes = new HttpRoutes().addJson('/state', () => ({ items: long() }), 1);
  const { server } = await start(t, routes);
  await statusUnread(await open(t, server, get('/state')));
  const refused = await open(t, server, get('/state'));
  const [chunk] = (await once(refused.resume(), 'data')) as [Buffer];
  assert.match(chunk.toString(), /^HTTP\/1\.1 503 .*\r\nRetry-After: 5\r\n.*others are reading/s);
});

test('clients that do not read metrics lose their place to the next scraper', {
  timeout,
}, async (t) => {
  const metrics = new Metrics(() => assert.fail());
  const gauges = metrics.gauges({ name: 'a', help: 'A.', labels: ['of'] });
  for (let of = 0; of < 50_000; of += 1) gauges.with({ of: 'x'.repeat(100) + of }).set(1);
  const { server } = await start(t, new HttpRoutes().addMetrics(metrics));
  const stuck = [];
  for (let count = 0; count < 10; count += 1) {
    const client = await open(t, server, get('/metrics'));
    assert.equal(await statusUnread(client), 200);
    stuck.push(client);
  }
  assert.equal(await statusOf(t, server, '/metrics'), 'HTTP/1.1 200 OK');
  const cut = stuck.slice(0, 7).map(readAll);
  await Promise.all(cut);
});

test('a client that does not read is cut off when nothing moves for a while', {
  timeout,
}, async (t) => {
  const routes = new HttpRoutes().addJson('/state', () => ({ items: long() }));
  const { server } = await start(t, routes, { idleMs: soonMs });
  const client = await open(t, server, get('/state'));
  await statusUnread(client);
  await pause(4 * soonMs);
  await readAll(client);
});

test('a client that reads on and on is cut off when the whole answer takes too long', {
  timeout,
}, async (t) => {
  const routes = new HttpRoutes().addJson('/state', () => ({ items: long() }));
  const { server, clock } = await start(t, routes, { wholeReplyMs: 30_000 });
  const client = await open(t, server, get('/state'));
  await statusUnread(client);
  await clock.advance(29_999);
  assert.equal(await isOpen(client), true);
  await clock.advance(1);
  assert.doesNotMatch((await readAll(client)).slice(-10), /\n0\r\n\r\n$/);
});

test('a request whose head does not end is cut off', { timeout }, async (t) => {
  const { server } = await start(t, new HttpRoutes(), { headersMs: soonMs });
  const client = await open(t, server, 'GET / HTTP/1.1\r\nHost: a\r\n');
  assert.match(await readAll(client), /^HTTP\/1\.1 408 /);
});

test('a request whose body does not end is cut off', { timeout }, async (t) => {
  const routes = new HttpRoutes().add('/a', () => new Promise<never>(() => {}));
  const { server } = await start(t, routes, { headersMs: soonMs, requestMs: soonMs });
  const head = 'GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';
  await readAll(await open(t, server, head));
});

test('of more connections than allowed the oldest ends, and a probe is answered all the same', {
  timeout,
}, async (t) => {
  const routes = new HttpRoutes().add('/healthz', () => reply(200, 'ok\n'));
  const { server } = await start(t, routes, { connections: 8 });
  const idle = [];
  for (let count = 0; count < 20; count += 1) idle.push(await open(t, server));
  await Promise.all(idle.slice(0, 12).map(readAll));
  assert.equal(await statusOf(t, server, '/healthz'), 'HTTP/1.1 200 OK');
});

test('requests that do not wait for their answers end the connection', { timeout }, async (t) => {
  let asked = 0;
  const routes = new HttpRoutes().add('/a', async () => {
    asked += 1;
    await pause(20);
    return reply(200, 'x'.repeat(1024));
  });
  const { server } = await start(t, routes);
  await readAll(await open(t, server, get('/a').repeat(100)));
  assert.equal(asked, 1);
});

/** Whether the other side still holds the connection: a closed one is noticed as soon as it is read. */
async function isOpen(socket: Socket): Promise<boolean> {
  await pause(20);
  return !socket.destroyed && socket.readable;
}
