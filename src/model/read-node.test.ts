import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSurvives } from './hostile.fixture.ts';
import type { KubeObject } from './kube-object.ts';
import { isProblem, must } from './parsed.ts';
import { readNode } from './read-node.ts';

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

function node(metadata: object, spec?: unknown, status?: unknown): KubeObject {
  return { kind: 'Node', metadata: { name: 'node1', uid: 'u', ...metadata }, spec, status };
}

test('a node is read as what decides who may hold addresses', () => {
  const taints = [
    { key: 'a', value: 'b', effect: 'NoSchedule' },
    { key: 'c', effect: 'NoExecute' },
  ];
  const addresses = [
    { type: 'Hostname', address: 'node1' },
    { type: 'InternalIP', address: '192.0.2.11' },
    { type: 'InternalIP', address: '2001:DB8::11' },
    { type: 'ExternalIP', address: '203.0.113.11' },
  ];
  const labels = { 'topology.kubernetes.io/zone': 'z1' };
  const annotations = { id: '192.0.2.1' };
  const object = node({ labels, annotations }, { unschedulable: true, taints }, { addresses });
  assert.deepEqual(must(readNode(object)), {
    name: 'node1',
    uid: 'u',
    labels: new Map(Object.entries(labels)),
    annotations: new Map(Object.entries(annotations)),
    internalIps: ['192.0.2.11', '2001:db8::11'],
    externalIps: ['203.0.113.11'],
    isExcluded: false,
    isCordoned: true,
    isBeingRemoved: false,
    isShuttingDown: false,
    taints: [
      { key: 'a', value: 'b', effect: 'NoSchedule' },
      { key: 'c', value: '', effect: 'NoExecute' },
    ],
    zone: 'z1',
  });
});

test('the exclude label counts unless its value is false', () => {
  const rows = [
    ['', true],
    ['true', true],
    ['yes', true],
    ['false', false],
    ['0', false],
    ['F', false],
  ] as const;
  for (const [value, isExcluded] of rows) {
    const labels = { [excludeLabel]: value };
    assert.equal(must(readNode(node({ labels }))).isExcluded, isExcluded, value);
  }
});

test('a node goes when it is deleted or the autoscaler says so', () => {
  const goes = (object: KubeObject) => must(readNode(object)).isBeingRemoved;
  assert.equal(goes(node({})), false);
  assert.equal(goes(node({ deletionTimestamp: '2026-01-31T12:00:00Z' })), true);
  assert.equal(goes(node({}, { taints: [{ key: 'ToBeDeletedByClusterAutoscaler' }] })), true);
});

test('only a node without a name is refused', () => {
  assert.ok(isProblem(readNode(node({ name: undefined }))));
});

test('no shape of object makes the reader fail', () => {
  assertSurvives(
    readNode,
    node(
      { labels: { [excludeLabel]: '' } },
      { taints: [{ key: 'a' }] },
      { addresses: [{ type: 'InternalIP', address: '192.0.2.11' }] },
    ),
  );
});

test('a node shuts down when its kubelet says so, and not when it is merely not ready', () => {
  const shutsDown = (status: string, message: string) => {
    const conditions = [{ type: 'Ready', status, reason: 'KubeletNotReady', message }];
    return must(readNode(node({}, {}, { conditions }))).isShuttingDown;
  };
  assert.equal(shutsDown('False', 'node is shutting down'), true);
  assert.equal(shutsDown('False', '[PLEG is not healthy, node is shutting down]'), true);
  assert.equal(shutsDown('False', 'PLEG is not healthy'), false);
  assert.equal(shutsDown('True', 'kubelet is posting ready status'), false);
});
