import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../model/kube-object.ts';
import {
  knowGroup,
  knowLease,
  knowNode,
  knowOffer,
  knowService,
  knowSlice,
} from './known-objects.ts';

type Change = (object: Record<string, unknown>) => void;
type Know = (object: KubeObject) => { readonly essence: string };

/** Whether anything would be decided otherwise after the change. */
function matters(know: Know, object: object, change: Change): boolean {
  const changed = structuredClone(object) as Record<string, unknown>;
  change(changed);
  return know(object as KubeObject).essence !== know(changed as unknown as KubeObject).essence;
}

/** `set('spec/type', 'ClusterIP')`. */
function set(path: string, value: unknown): Change {
  return (object) => {
    const steps = path.split('/');
    const last = steps.pop() ?? '';
    let at = object;
    for (const step of steps) {
      at[step] ??= {};
      at = at[step] as Record<string, unknown>;
    }
    at[last] = value;
  };
}

const service = {
  metadata: {
    namespace: 'shop',
    name: 'web',
    uid: 'u',
    resourceVersion: '1',
    annotations: { 'purelb.io/allocated-by': 'PureLB' },
  },
  spec: { type: 'LoadBalancer', clusterIP: '203.0.113.1', loadBalancerClass: 'purelb.io/purelbv2' },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.100' }] } },
};

test('what changes a decision about a Service is seen, and nothing else is', () => {
  const changes = {
    'spec/type': 'ClusterIP',
    'spec/loadBalancerClass': 'example.com/other',
    'spec/externalTrafficPolicy': 'Local',
    'status/loadBalancer': { ingress: [{ ip: '192.0.2.101' }] },
    'metadata/deletionTimestamp': '2026-01-01T00:00:00Z',
    'metadata/uid': 'v',
    'metadata/annotations': { 'purelb.io/allocated-by': 'Other' },
  };
  for (const [path, value] of Object.entries(changes)) {
    assert.equal(matters(knowService, service, set(path, value)), true, path);
  }
  const others = {
    'metadata/resourceVersion': '2',
    'metadata/labels': { a: 'b' },
    'status/conditions': [{ type: 'Announced', status: 'True' }],
  };
  for (const [path, value] of Object.entries(others)) {
    assert.equal(matters(knowService, service, set(path, value)), false, path);
  }
});

test('Services without an address of ours are nothing to the agent', () => {
  const foreign = { ...service, metadata: { ...service.metadata, annotations: {} } };
  assert.equal(knowService(foreign).value, undefined);
});

test('labels of a Node matter, its heartbeat does not', () => {
  const node = {
    metadata: { name: 'node1', uid: 'u', labels: { rack: 'a' } },
    spec: {},
    status: {},
  };
  assert.equal(matters(knowNode, node, set('metadata/labels', { rack: 'b' })), true);
  const label = 'node.kubernetes.io/exclude-from-external-load-balancers';
  assert.equal(matters(knowNode, node, set('metadata/labels', { rack: 'a', [label]: '' })), true);
  const heartbeat = [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }];
  assert.equal(matters(knowNode, node, set('status/conditions', heartbeat)), false);
});

test('a renewal of a Lease is no news, what it says is', () => {
  const lease = {
    metadata: { namespace: 'p', name: 'purelb-node-a', uid: 'u', annotations: {} },
    spec: { leaseDurationSeconds: 10, renewTime: '2026-01-01T00:00:00.000000Z' },
  };
  assert.equal(
    matters(knowLease, lease, set('spec/renewTime', '2026-01-01T00:00:05.000000Z')),
    false,
  );
  for (const [name, value] of [
    ['purelb.io/subnets', '192.0.2.0/24'],
    ['purelb.io/failing', '192.0.2.100'],
    ['purelb.io/instance', 'next'],
  ] as const) {
    assert.equal(matters(knowLease, lease, set('metadata/annotations', { [name]: value })), true);
  }
});

test('an edit of a configuration or a group matters, what is written in their status does not', () => {
  const metadata = { namespace: 'p', name: 'default', uid: 'u', generation: 1 };
  const offer = { apiVersion: 'purelb.io/v2', metadata, spec: { local: {} } };
  const pool = { subnet: '192.0.2.0/24', pool: '192.0.2.0/25' };
  const group = { apiVersion: 'purelb.io/v2', metadata, spec: { local: { v4pools: [pool] } } };
  for (const [know, object] of [
    [knowOffer, offer],
    [knowGroup, group],
  ] as const) {
    assert.equal(matters(know, object, set('metadata/generation', 2)), true);
    assert.equal(matters(know, object, set('status', { conditions: [] })), false);
  }
});

test('whatever an object looks like, it is read or passed over', () => {
  const anything = fc.object({ maxDepth: 4 });
  const knows: readonly Know[] = [
    knowService,
    knowGroup,
    knowOffer,
    knowNode,
    knowLease,
    knowSlice,
  ];
  fc.assert(
    fc.property(anything, anything, anything, (annotations, spec, status) => {
      const allocated = { 'purelb.io/allocated-by': 'PureLB', ...annotations };
      const metadata = { name: 'purelb-node-a', namespace: 'p', annotations: allocated };
      const object = { metadata, spec, status } as unknown as KubeObject;
      for (const know of knows) assert.equal(typeof know(object).essence, 'string');
    }),
  );
});
