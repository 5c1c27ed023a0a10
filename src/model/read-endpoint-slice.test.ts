import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSurvives } from './hostile.fixture.ts';
import type { KubeObject } from './kube-object.ts';
import { isProblem, must } from './parsed.ts';
import { readEndpointSlice } from './read-endpoint-slice.ts';

function slice(endpoints: unknown, addressType = 'IPv4'): KubeObject {
  const labels = { 'kubernetes.io/service-name': 'web' };
  return { metadata: { name: 'web-x1', namespace: 'shop', labels }, addressType, endpoints };
}

test('endpoints are healthy when ready, unknown, or serving on', () => {
  const rows = [
    [undefined, true],
    [{}, true],
    [{ ready: true }, true],
    [{ ready: null, serving: null }, true],
    [{ ready: false }, false],
    [{ ready: false, serving: false }, false],
    [{ ready: false, serving: true, terminating: true }, true],
  ] as const;
  for (const [conditions, isHealthy] of rows) {
    const endpoint = { addresses: ['192.0.2.1'], nodeName: 'node1', conditions };
    assert.deepEqual(must(readEndpointSlice(slice([endpoint]))), {
      service: 'shop/web',
      endpoints: [{ addresses: ['192.0.2.1'], node: 'node1', isHealthy }],
    });
  }
});

test('a slice without endpoints has none, and host names are no addresses', () => {
  assert.deepEqual(must(readEndpointSlice(slice(null))).endpoints, []);
  const named = slice([{ addresses: ['db.example'] }], 'FQDN');
  assert.deepEqual(must(readEndpointSlice(named)).endpoints, []);
});

test('a slice that names no Service is refused', () => {
  assert.ok(isProblem(readEndpointSlice({ metadata: { name: 'x', namespace: 'shop' } })));
});

test('no shape of object makes the reader fail', () => {
  assertSurvives(
    readEndpointSlice,
    slice([{ addresses: ['192.0.2.1'], nodeName: 'n', conditions: { ready: true } }]),
  );
});
