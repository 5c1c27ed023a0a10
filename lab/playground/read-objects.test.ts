import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEndpoints, readNode, readService } from './read-objects.ts';

test('a Service with its addresses, pool and conditions', () => {
  const object = {
    metadata: {
      namespace: 'default',
      name: 'web',
      annotations: { 'purelb.io/allocated-from': 'public', 'purelb.io/pool-type': 'remote' },
    },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }, { port: 7777, protocol: 'UDP' }] },
    status: {
      loadBalancer: { ingress: [{ ip: '203.0.113.128' }, { hostname: 'x' }] },
      conditions: [{ type: 'Allocated', status: 'False', reason: 'A', message: 'b' }],
    },
  };
  assert.deepEqual(readService(object), {
    key: 'default/web',
    type: 'LoadBalancer',
    ips: ['203.0.113.128'],
    pool: { name: 'public', kind: 'remote' },
    conditions: [{ type: 'Allocated', isTrue: false, reason: 'A', message: 'b' }],
    port: 7777,
  });
  assert.deepEqual(readService({ metadata: { namespace: 'a', name: 'b' }, spec: {} }).ips, []);
});

test('a node is ready if it says so, and one that nobody knows is not', () => {
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
  const node = { metadata: { name: 'n' }, spec: { unschedulable: true }, status: ready };
  assert.deepEqual(readNode(node), { isReady: true, isCordoned: true });
  assert.deepEqual(readNode(undefined), { isReady: false, isCordoned: false });
});

test('a pod with two families counts once, one that is not ready not at all', () => {
  const slice = (name: string, ...endpoints: readonly object[]) => ({
    metadata: {
      name,
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'web' },
    },
    endpoints,
  });
  const pod = (name: string, ready: boolean | null) => ({
    targetRef: { name },
    conditions: { ready },
  });
  const slices = [
    slice('v4', pod('a', true), pod('b', false), pod('c', null)),
    slice('v6', pod('a', true)),
  ];
  assert.deepEqual([...readEndpoints(slices)], [['default/web', 2]]);
});
