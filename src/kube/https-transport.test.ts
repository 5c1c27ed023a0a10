import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { type Certificate, makeAuthority } from '../../lab/control-plane/pki.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import type { ApiServerConfig } from './api-server-config.ts';
import { HttpsTransport } from './https-transport.ts';
import { readBody } from './read-body.ts';
import type { Method, TransportRequest } from './transport.ts';

const authority = makeAuthority();
const serverCertificate = authority.issue({
  commonName: 'api',
  hosts: ['127.0.0.1', 'api.example'],
});
const scratch = mkdtempSync(join(tmpdir(), 'purelb-kube-'));
after(() => rmSync(scratch, { recursive: true }));

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface Bench {
  readonly clock: ManualClock;
  readonly transport: HttpsTransport;
  readonly server: Server;
  /** Connections that came about so far. */
  readonly connections: Socket[];
  ask(path?: string, options?: Partial<TransportRequest>): Promise<string>;
}

/** A TLS server on the loopback and a transport to it; both end with the test. */
async function withServer(
  handler: Handler,
  use: (bench: Bench) => Promise<void>,
  {
    config = {},
    tls = serverCertificate,
    requestCert = false,
  }: { config?: Partial<ApiServerConfig>; tls?: Certificate; requestCert?: boolean } = {},
): Promise<void> {
  const options = { ...tls, requestCert, ca: authority.ca };
  const server = createServer(options, handler);
  const connections: Socket[] = [];
  server.on('secureConnection', (socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = new ManualClock();
  const ca = { text: authority.ca };
  const transport = new HttpsTransport(
    { server: `https://127.0.0.1:${port}`, ca, ...config },
    clock,
  );
  try {
    const ask = (path?: string, request?: Partial<TransportRequest>) =>
      send(transport, path, request);
    await use({ clock, transport, server, connections, ask });
  } finally {
    transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function send(
  transport: HttpsTransport,
  path = '/',
  request: Partial<TransportRequest> = {},
): Promise<string> {
  const { signal } = new AbortController();
  const method: Method = 'GET';
  const response = await transport.exchange({ method, path, headers: {}, signal, ...request });
  return `${response.status} ${await readBody(response.body, 1e9)}`;
}

const echo: Handler = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { authorization = 'nobody' } = request.headers;
    response.end(`${request.method} ${request.url} ${authorization} ${Buffer.concat(chunks)}`);
  });
};

test('an exchange carries method, path, headers and body both ways', async () => {
  await withServer(
    (request, response) => {
      response.setHeader('retry-after', '3');
      echo(request, response);
    },
    async ({ transport }) => {
      const request = { method: 'PATCH', path: '/a?b=1', body: '{"ü":1}' } as const;
      const { signal } = new AbortController();
      const response = await transport.exchange({ ...request, headers: { accept: 'x' }, signal });
      assert.equal(response.headers['retry-after'], '3');
      assert.equal(String(await readBody(response.body, 100)), 'PATCH /a?b=1 nobody {"ü":1}');
    },
  );
});

test('three hundred exchanges, one after the other, use one connection', async () => {
  await withServer(echo, async ({ ask, connections }) => {
    for (let round = 0; round < 300; round += 1) await ask();
    assert.equal(connections.length, 1);
  });
});

test('the path of the server URL comes before that of the request', async () => {
  await withServer(echo, async ({ server, clock }) => {
    const { port } = server.address() as AddressInfo;
    const config = {
      server: `https://127.0.0.1:${port}/clusters/one/`,
      ca: { text: authority.ca },
    };
    const transport = new HttpsTransport(config, clock);
    assert.equal(await send(transport, '/api/v1'), '200 GET /clusters/one/api/v1 nobody ');
    transport.close();
  });
});

test('a refused connection means that nothing was sent', async () => {
  await withServer(echo, async ({ server, ask }) => {
    await new Promise((resolve) => server.close(resolve));
    await assert.rejects(ask(), { code: 'connect', message: /^no connection: .*ECONNREFUSED/ });
    server.listen(0);
  });
});

test('a server that is not the one we trust gets nothing', async () => {
  const stranger = makeAuthority('stranger');
  const tls = stranger.issue({ commonName: 'api', hosts: ['127.0.0.1'] });
  let requests = 0;
  const count: Handler = (_, response) => {
    requests += 1;
    response.end();
  };
  await withServer(
    count,
    async ({ ask }) => {
      await assert.rejects(ask(), { code: 'connect' });
      assert.equal(requests, 0);
    },
    { tls },
  );
  const config = { isInsecure: true };
  await withServer(count, async ({ ask }) => assert.equal(await ask(), '200 '), { tls, config });
});

test('a certificate for another name is refused, unless that name is expected', async () => {
  const tls = authority.issue({ commonName: 'api', hosts: ['api.example'] });
  await withServer(echo, async ({ ask }) => assert.rejects(ask(), { code: 'connect' }), { tls });
  const config = { serverName: 'api.example' };
  await withServer(echo, async ({ ask }) => assert.match(await ask(), /^200/), { tls, config });
});

test('a server that accepts but never shakes hands is given up after 10 s', async () => {
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const clock = new ManualClock();
  const ca = { text: authority.ca };
  const transport = new HttpsTransport({ server: `https://127.0.0.1:${port}`, ca }, clock);
  const asking = assert.rejects(send(transport), {
    code: 'connect',
    message: 'no connection within 10 s',
  });
  while (sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(10_000);
  await asking;
  assert.equal(clock.pendingTimers, 0);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});

test('a connection that ends before the answer, or within it, is told apart from an answer', async () => {
  await withServer(
    (request, response) => {
      if (request.url === '/none') request.socket.destroy();
      else if (request.url === '/half') {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => request.socket.destroy());
      } else {
        response.write('chunk', () => request.socket.destroy());
      }
    },
    async ({ ask }) => {
      await assert.rejects(ask('/none'), { code: 'reset', wasReused: false });
      await assert.rejects(ask('/half'), { code: 'reset', message: /broke off/ });
      await assert.rejects(ask('/chunked'), { code: 'reset', message: /broke off/ });
    },
  );
});

test('a reset on a connection from the pool says so', async () => {
  let requests = 0;
  await withServer(
    (request, response) => {
      requests += 1;
      if (requests === 1) response.end('fine');
      else request.socket.destroy();
    },
    async ({ ask }) => {
      await ask();
      await assert.rejects(ask(), { code: 'reset', wasReused: true });
    },
  );
});

test('an exchange that is taken back ends with the reason, before and during the answer', async () => {
  await withServer(
    (request, response) => {
      if (request.url === '/stream') response.write('first');
    },
    async ({ ask, transport }) => {
      const reason = new Error('not any more');
      const early = new AbortController();
      const asking = assert.rejects(ask('/hang', { signal: early.signal }), reason);
      early.abort(reason);
      await asking;
      const late = new AbortController();
      const request = { method: 'GET', path: '/stream', headers: {}, signal: late.signal } as const;
      const { body } = await transport.exchange(request);
      await assert.rejects(
        body(() => late.abort(reason)),
        reason,
      );
      await assert.rejects(ask('/', { signal: late.signal }), reason);
    },
  );
});

test('a token file is read again each minute, and at once when the server refuses the token', async () => {
  const file = join(scratch, 'token');
  let valid = 'Bearer one';
  const refusing: Handler = (request, response) => {
    if (request.headers.authorization !== valid) response.statusCode = 401;
    echo(request, response);
  };
  writeFileSync(file, 'one\n');
  await withServer(
    refusing,
    async ({ ask, clock }) => {
      assert.equal(await ask(), '200 GET / Bearer one ');
      writeFileSync(file, 'two');
      assert.equal(await ask(), '200 GET / Bearer one ', 'read a moment ago');
      await clock.advance(60_000);
      valid = 'Bearer two';
      assert.equal(await ask(), '200 GET / Bearer two ');
      writeFileSync(file, 'three');
      valid = 'Bearer three';
      assert.equal(await ask('/', { method: 'POST', body: 'x' }), '200 POST / Bearer three x');
      valid = 'Bearer four';
      assert.equal(
        await ask(),
        '401 GET / Bearer three ',
        'nothing new on disk: the refusal stands',
      );
      rmSync(file);
      valid = 'Bearer three';
      await clock.advance(60_000);
      assert.equal(await ask(), '200 GET / Bearer three ', 'the last known token goes on');
    },
    { config: { token: { file } } },
  );
});

test('a missing or empty token file is named', async () => {
  const empty = join(scratch, 'empty');
  writeFileSync(empty, ' \n');
  for (const file of [join(scratch, 'nowhere'), empty]) {
    await withServer(
      echo,
      async ({ ask }) => assert.rejects(ask(), { code: 'connect', message: new RegExp(file) }),
      { config: { token: { file } } },
    );
  }
});

test('when the authority is replaced, new connections trust the new one, old ones go on', async () => {
  const file = join(scratch, 'ca.crt');
  writeFileSync(file, authority.ca);
  const successor = makeAuthority('successor');
  await withServer(
    (request, response) => {
      response.setHeader('connection', 'close');
      if (request.url === '/watch') response.write('opened');
      else echo(request, response);
    },
    async ({ ask, server, transport, connections }) => {
      const { signal } = new AbortController();
      const watch = await transport.exchange({
        method: 'GET',
        path: '/watch',
        headers: {},
        signal,
      });
      const opened = Promise.withResolvers<string>();
      const ended = assert.rejects(
        watch.body((chunk) => opened.resolve(String(chunk))),
        { code: 'reset' },
      );
      assert.equal(await opened.promise, 'opened');
      await ask();
      server.setSecureContext(successor.issue({ commonName: 'api', hosts: ['127.0.0.1'] }));
      writeFileSync(file, successor.ca);
      assert.match(await ask('/', { method: 'POST', body: 'x' }), /^200 POST/);
      assert.equal(connections.length, 3);
      connections[0]?.end();
      await ended;
    },
    { config: { ca: { file } } },
  );
});

test('a client certificate proves who we are', async () => {
  const { cert, key } = authority.issue({ commonName: 'agent', client: true });
  const clientCertificate = { cert: { text: cert }, key: { text: key } };
  await withServer(
    (request, response) => {
      response.end((request.socket as TLSSocket).getPeerCertificate().subject.CN);
    },
    async ({ ask }) => assert.equal(await ask(), '200 agent'),
    { config: { clientCertificate }, requestCert: true },
  );
});

test('a token is not sent in the clear, except to this very machine', () => {
  const token = { text: 't' };
  const make = (server: string) => new HttpsTransport({ server, token }, new ManualClock());
  assert.throws(() => make('http://192.0.2.1:8001'), /in the clear/);
  make('http://127.0.0.1:8001').close();
  make('http://[::1]:8001').close();
  assert.throws(() => make('192.0.2.1:6443'), /not the http\(s\) URL/);
});
