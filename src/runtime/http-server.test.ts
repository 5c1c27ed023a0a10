import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type TestContext, test } from 'node:test';
import { HttpRoutes, reply } from './http-routes.ts';
import { type HttpServer, ListenError, startHttpServer } from './http-server.ts';
import { ManualClock } from './manual-clock.ts';

/** A server on a port of the system's choice, on a clock that stands still unless advanced. */
async function start(t: TestContext, routes = new HttpRoutes(), host = '127.0.0.1') {
  const clock = new ManualClock();
  const errors: string[] = [];
  const onError = (where: string, error: unknown) => errors.push(`${where}: ${String(error)}`);
  const server = await startHttpServer({ host, port: 0, routes, clock, onError });
  t.after(async () => {
    const closed = server.close();
    await clock.advance(1_000);
    await closed;
  });
  return { clock, errors, server };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function ask(
  { port }: HttpServer,
  path: string,
  options: { method?: string; agent?: Agent; host?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, ...options }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body }),
      );
    });
    asked.on('error', reject).end();
  });
}

const noIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1')
  ? false
  : 'this machine has no IPv6 loopback address';

const hello = () => new HttpRoutes().addJson('/hello', () => 'wörld');

test('GET has a body, HEAD the same head without one', async (t) => {
  const { server } = await start(
    t,
    hello().add('/text', () => reply(200, 'wörld\n', 'text/x')),
  );
  const got = await ask(server, '/hello');
  assert.deepEqual([got.status, got.body], [200, '"wörld"\n']);
  assert.equal(got.headers['content-type'], 'application/json');
  const headOfJson = await ask(server, '/hello', { method: 'HEAD' });
  assert.deepEqual([headOfJson.status, headOfJson.body], [200, '']);
  const text = await ask(server, '/text');
  assert.deepEqual([text.body, text.headers['content-length']], ['wörld\n', '7']);
  const head = await ask(server, '/text', { method: 'HEAD' });
  assert.deepEqual([head.status, head.body, head.headers['content-length']], [200, '', '7']);
});

test('what is not there is 404, and nothing can be written', async (t) => {
  const { server } = await start(t, hello());
  const missing = await ask(server, '/other');
  assert.deepEqual([missing.status, missing.body], [404, 'nothing here; there is /hello\n']);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const refused = await ask(server, '/hello', { method });
    assert.equal(refused.status, 405);
    assert.equal(refused.headers.allow, 'GET, HEAD');
    assert.equal(refused.body, 'this can only be read: use GET or HEAD\n');
  }
});

test('a route that fails is 500, is reported, and does not show why to strangers', async (t) => {
  const routes = new HttpRoutes().addJson('/broken', () => {
    throw new Error('inner details');
  });
  const { server, errors } = await start(t, routes);
  const { status, body } = await ask(server, '/broken?x=1');
  assert.deepEqual([status, body], [500, 'this failed here; the log says why\n']);
  assert.deepEqual(errors, ['/broken?x=1: Error: inner details']);
});

test('listens on IPv6 too, with or without brackets', { skip: noIpv6 }, async (t) => {
  for (const host of ['::1', '[::1]']) {
    const { server } = await start(t, hello(), host);
    assert.equal((await ask(server, '/hello', { host: '::1' })).status, 200);
  }
});

test('without a host it listens everywhere', { skip: noIpv6 }, async (t) => {
  const { server } = await start(t, hello(), '');
  assert.equal((await ask(server, '/hello')).status, 200);
  assert.equal((await ask(server, '/hello', { host: '::1' })).status, 200);
});

test('a port in use is said so', async (t) => {
  const { server, clock } = await start(t);
  const again = { port: server.port, routes: hello(), clock, onError: assert.fail };
  await assert.rejects(startHttpServer({ ...again, host: '127.0.0.1' }), (error) => {
    assert.ok(error instanceof ListenError);
    assert.equal(error.code, 'EADDRINUSE');
    assert.equal(
      error.message,
      `cannot listen on 127.0.0.1:${server.port}: another process uses this port; stop it or choose another port`,
    );
    return true;
  });
  await assert.rejects(startHttpServer({ ...again, host: '2001:db8::1', port: 1 }), (error) => {
    assert.ok(error instanceof ListenError);
    assert.match(error.message, /^cannot listen on \[2001:db8::1\]:1: /);
    return true;
  });
});

test('closing ends idle connections at once', { timeout: 5_000 }, async (t) => {
  const { server } = await start(t, hello());
  const agent = new Agent({ keepAlive: true });
  assert.equal((await ask(server, '/hello', { agent })).status, 200);
  await server.close();
  await assert.rejects(ask(server, '/hello', { agent }), { code: /ECONNREFUSED|ECONNRESET/ });
  agent.destroy();
});

test('closing lets a request in progress end, and does not wait for more', {
  timeout: 5_000,
}, async (t) => {
  let release = (): void => {};
  const asked = Promise.withResolvers<void>();
  const routes = new HttpRoutes().addJson('/slow', () => {
    asked.resolve();
    return new Promise<string>((resolve) => {
      release = () => resolve('done');
    });
  });
  const { server } = await start(t, routes);
  const agent = new Agent({ keepAlive: true });
  const answer = ask(server, '/slow', { agent });
  await asked.promise;
  const closed = server.close();
  release();
  assert.equal((await answer).body, '"done"\n');
  await closed;
  agent.destroy();
});

test('a client that says nothing, or a route that never ends, is cut off after the grace', {
  timeout: 5_000,
}, async (t) => {
  const asked = Promise.withResolvers<void>();
  const routes = new HttpRoutes().addJson('/never', () => {
    asked.resolve();
    return new Promise(() => {});
  });
  const { server, clock } = await start(t, routes);
  const silent: Socket = connect(server.port, '127.0.0.1');
  silent.on('error', () => {});
  const answer = ask(server, '/never');
  answer.catch(() => {});
  await asked.promise;
  const closed = server.close();
  await clock.advance(1_000);
  await closed;
  await assert.rejects(answer, { code: 'ECONNRESET' });
  silent.destroy();
});

test('a request that is not HTTP is 400', async (t) => {
  const { server } = await start(t, hello());
  const socket = connect(server.port, '127.0.0.1');
  socket.end('nonsense\r\n\r\n');
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  assert.match(text, /^HTTP\/1\.1 400 /);
});
