import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { makeAuthority } from '../../lab/control-plane/pki.ts';
import { type StartOptions, startNetbox } from '../../lab/netbox/start-netbox.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { HttpTransport, type HttpTransportOptions, RestError } from './rest-transport.ts';

const clock = new SystemClock();
const never = new AbortController().signal;
const request = {
  method: 'GET',
  path: '/api/status/',
  headers: { accept: 'application/json' },
} as const;

async function withServer(
  options: StartOptions,
  run: (url: string) => Promise<void>,
): Promise<void> {
  const server = await startNetbox(options);
  try {
    await run(server.url);
  } finally {
    await server.stop();
  }
}

async function send(url: string, more: Partial<HttpTransportOptions> = {}): Promise<string> {
  const transport = new HttpTransport({ url, ca: undefined, clock, ...more });
  try {
    const { status, headers } = await transport.send(request, never);
    return `${status} ${headers['content-type'] ?? ''}`;
  } catch (error) {
    assert.ok(error instanceof RestError, String(error));
    return error.code;
  } finally {
    transport.close();
  }
}

test('an answer comes with its status and headers, whatever they are', () =>
  withServer({}, async (url) => {
    assert.equal(await send(url), '403 application/json');
  }));

test('a server that is not there, hangs or hangs up is told apart', async () => {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  assert.equal(await send(`http://127.0.0.1:${port}`), 'unreachable');
  await withServer({ intercept: async () => undefined }, async (url) => {
    assert.equal(await send(url, { withinMs: 50 }), 'cut');
  });
  await withServer({ intercept: async () => 'reset' }, async (url) => {
    assert.equal(await send(url), 'cut');
  });
});

test('an answer without end is cut off', () =>
  withServer(
    { intercept: async () => ({ status: 200, headers: {}, body: 'x'.repeat(100_000) }) },
    async (url) => {
      assert.equal(await send(url, { mostBytes: 10_000 }), 'cut');
    },
  ));

test('redirects are not followed', () =>
  withServer(
    { intercept: async () => ({ status: 302, headers: { location: '/elsewhere' }, body: '' }) },
    async (url) => {
      assert.equal(await send(url), '302 ');
    },
  ));

test('whoever gives up gets the reason back', () =>
  withServer({ intercept: async () => undefined }, async (url) => {
    const transport = new HttpTransport({ url, ca: undefined, clock });
    const giving = new AbortController();
    const sent = transport.send(request, giving.signal);
    giving.abort(new Error('no longer wanted'));
    await assert.rejects(sent, /no longer wanted/);
    transport.close();
  }));

test('over TLS a certificate must be trusted, by the system or by the bundle', () => {
  const authority = makeAuthority('Some company');
  const tls = authority.issue({ commonName: 'netbox', hosts: ['127.0.0.1'] });
  return withServer({ tls }, async (url) => {
    assert.equal(await send(url), 'untrusted');
    assert.equal(await send(url, { ca: makeAuthority('Another').ca }), 'untrusted');
    assert.equal(await send(url, { ca: authority.ca }), '403 application/json');
  });
});

test('https at a port without TLS, and a certificate for another name, are told from other faults', async () => {
  await withServer({}, async (url) => {
    assert.equal(await send(url.replace('http:', 'https:')), 'plain');
  });
  const authority = makeAuthority('Some company');
  const tls = authority.issue({ commonName: 'netbox', hosts: ['192.0.2.1'] });
  await withServer({ tls }, async (url) => {
    assert.equal(await send(url, { ca: authority.ca }), 'misnamed');
  });
});
