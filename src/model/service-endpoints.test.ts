import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from './ip.ts';
import { nodesWithEndpoints, type ServiceEndpoints } from './service-endpoints.ts';

/** `node1:192.0.2.1+` is healthy, with `-` it is not. */
function slice(service: string, ...endpoints: readonly string[]): ServiceEndpoints {
  return {
    service,
    endpoints: endpoints.map((text) => {
      const [node = '', address = ''] = text.slice(0, -1).split(':');
      return {
        addresses: [ipOf(address)],
        node: node === '' ? undefined : node,
        isHealthy: text.endsWith('+'),
      };
    }),
  };
}

function nodesOf(...slices: readonly ServiceEndpoints[]) {
  return [...nodesWithEndpoints(slices)].map(([service, nodes]) => [service, ...nodes].join(' '));
}

test('nodes with a healthy endpoint can serve, others cannot', () => {
  const web = slice(
    'shop/web',
    'node1:192.0.2.1+',
    'node2:192.0.2.2-',
    'node2:192.0.2.3+',
    ':192.0.2.4+',
  );
  const api = slice('shop/api', 'node3:192.0.2.5-');
  assert.deepEqual(nodesOf(web, api), ['shop/web node1 node2', 'shop/api']);
});

test('an address must be healthy wherever it appears', () => {
  const http = slice('shop/web', 'node1:192.0.2.1+', 'node2:192.0.2.2+');
  const dns = slice('shop/web', 'node1:192.0.2.1-');
  assert.deepEqual(nodesOf(http, dns), ['shop/web node2']);
});

test('the same address of another Service is another endpoint', () => {
  assert.deepEqual(nodesOf(slice('a/a', 'node1:192.0.2.1+'), slice('b/b', 'node1:192.0.2.1-')), [
    'a/a node1',
    'b/b',
  ]);
});
