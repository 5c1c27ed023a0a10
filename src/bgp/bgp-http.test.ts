import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { passOn } from './bgp-http.ts';

test('what the daemon tells of itself is passed on, and its silence is told', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end('bgp_peer_state 6\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const routes = passOn(`http://127.0.0.1:${port}/metrics`);
  assert.deepEqual(await routes.find('/metrics').answer(), {
    status: 200,
    type: 'text/plain; version=0.0.4',
    body: 'bgp_peer_state 6\n',
  });
  assert.equal((await routes.find('/debug/pprof').answer()).status, 404);
  await new Promise((resolve) => server.close(resolve));
  const { status, body } = await routes.find('/metrics').answer();
  assert.equal(status, 502);
  assert.match(String(body), /^the BGP daemon does not tell its metrics: .*ECONNREFUSED/);
});
