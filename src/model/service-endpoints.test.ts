import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Family, ipOf } from './ip.ts';
import { endpointsKey, nodesWithEndpoints, type ServiceEndpoints } from './service-endpoints.ts';

/** `node1:192.0.2.1+` is healthy, with `-` it is not. */
function slice(service: string, ...endpoints: readonly string[]): ServiceEndpoints {
  return {
    service,
    endpoints: endpoints.map((text) => {
      const [, node = '', address = ''] = /^(.*?):(.*).$/.exec(text) ?? [];
      return {
        addresses: [ipOf(address)],
        node: node === '' ? undefined : node,
        isHealthy: text.endsWith('+'),
      };
    }),
  };
}

/** `shop/web node1 node2`, for addresses of one family. */
function nodesFor(family: Family, ...slices: readonly ServiceEndpoints[]) {
  const found = nodesWithEndpoints(slices);
  const services = [...new Set(slices.map(({ service }) => service))];
  return services.map((service) =>
    [service, ...(found.get(endpointsKey(service, family)) ?? [])].join(' '),
  );
}

const nodesOf = (...slices: readonly ServiceEndpoints[]) => nodesFor('ipv4', ...slices);

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

test('a node serves the families that its endpoints have, and no other', () => {
  const v4 = slice('shop/web', 'node1:192.0.2.1+', 'node2:192.0.2.2-');
  const v6 = slice('shop/web', 'node2:2001:db8::2+', 'node3:2001:db8::3+');
  assert.deepEqual(nodesFor('ipv4', v4, v6), ['shop/web node1']);
  assert.deepEqual(nodesFor('ipv6', v4, v6), ['shop/web node2 node3']);
  assert.deepEqual(nodesFor('ipv6', v4), ['shop/web']);
});
