import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, textAt } from '../json.ts';
import { apps, type Cluster, core, podsOf, startCluster, workload } from './controllers.fixture.ts';

function taintsOf({ get }: Cluster, name: string): readonly string[] {
  return listAt(get(`/api/v1/nodes/${name}`).body, 'spec', 'taints').map(
    (taint) => `${textAt(taint, 'key').replace(/^.*\//, '')}:${textAt(taint, 'effect')}`,
  );
}

const setReady = ({ patch }: Cluster, name: string, status: string) =>
  patch(`/api/v1/nodes/${name}/status`, { status: { conditions: [{ type: 'Ready', status }] } });

test('taints follow the state of a node', async () => {
  const cluster = startCluster({ nodes: ['n1'] });
  await cluster.clock.settle();
  assert.deepEqual(taintsOf(cluster, 'n1'), []);
  setReady(cluster, 'n1', 'False');
  await cluster.clock.settle();
  assert.deepEqual(taintsOf(cluster, 'n1'), ['not-ready:NoSchedule', 'not-ready:NoExecute']);
  cluster.patch('/api/v1/nodes/n1', { spec: { unschedulable: true } });
  setReady(cluster, 'n1', 'True');
  await cluster.clock.settle();
  assert.deepEqual(taintsOf(cluster, 'n1'), ['unschedulable:NoSchedule']);
});

test('pods go to nodes that are ready and open, and wait where there is none', async () => {
  const cluster = startCluster();
  await cluster.clock.settle();
  cluster.patch('/api/v1/nodes/n1', { spec: { unschedulable: true } });
  cluster.post(`${apps}/deployments`, workload('web', { replicas: 2 }));
  await cluster.clock.advance(1000);
  assert.deepEqual(podsOf(cluster), ['web web:1 n2', 'web web:1 n2']);
  setReady(cluster, 'n2', 'False');
  cluster.post(`${apps}/deployments`, workload('late'));
  await cluster.clock.advance(1000);
  const late = cluster.hands
    .list('pods')
    .find(({ metadata: { labels } }) => labels?.['app'] === 'late');
  const [condition] = listAt(late, 'status', 'conditions');
  assert.equal(
    textAt(condition, 'message'),
    '0/2 nodes are available: 1 node(s) had untolerated taint(s) {node.kubernetes.io/not-ready: }, 1 node(s) were unschedulable.',
  );
  cluster.patch('/api/v1/nodes/n1', { spec: { unschedulable: null } });
  await cluster.clock.advance(1000);
  assert.ok(podsOf(cluster).includes('late web:1 n1'));
});

test('node selectors and required affinity are kept', async () => {
  const cluster = startCluster();
  const containers = [{ name: 'main', image: 'web:1' }];
  const selected = { containers, nodeSelector: { 'kubernetes.io/hostname': 'n2' } };
  cluster.post(`${core}/pods`, { metadata: { name: 'a' }, spec: selected });
  const nodeSelectorTerms = [
    { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['n2'] }] },
  ];
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  };
  const affine = { containers, affinity: { nodeAffinity } };
  cluster.post(`${core}/pods`, { metadata: { name: 'b' }, spec: affine });
  await cluster.clock.advance(1000);
  assert.deepEqual(podsOf(cluster), ['a web:1 n2', 'b web:1 n1']);
});

test('a node whose lease is overdue is lost, and its pods move after their patience', async () => {
  const cluster = startCluster({ settings: { nodeGraceSeconds: 40 } });
  const lease = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases`;
  const renew = (renewTime: string) => ({ metadata: { name: 'n1' }, spec: { renewTime } });
  cluster.post(lease, renew('2026-01-01T00:00:00.000000Z'));
  cluster.post(`${apps}/deployments`, workload('web', { replicas: 2 }));
  await cluster.clock.advance(30_000);
  cluster.patch(`${lease}/n1`, renew('2026-01-01T00:00:30.000000Z'));
  await cluster.clock.advance(39_000);
  assert.deepEqual(taintsOf(cluster, 'n1'), []);
  await cluster.clock.advance(2000);
  assert.deepEqual(taintsOf(cluster, 'n1'), ['unreachable:NoSchedule', 'unreachable:NoExecute']);
  const [pod] = cluster.hands.list('pods').filter((it) => textAt(it, 'spec', 'nodeName') === 'n1');
  assert.equal(textAt(listAt(pod, 'status', 'conditions')[0], 'status'), 'False');
  await cluster.clock.advance(310_000);
  assert.deepEqual(podsOf(cluster), ['web web:1 n2', 'web web:1 n2']);
});

test('when all nodes fall silent at once, none of them is given up', async () => {
  const cluster = startCluster({ settings: { nodeGraceSeconds: 40 } });
  const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  const renew = (name: string, minute: number) => {
    return { metadata: { name }, spec: { renewTime: `2026-01-01T00:0${minute}:00.000000Z` } };
  };
  for (const name of ['n1', 'n2']) cluster.post(lease, renew(name, 0));
  await cluster.clock.advance(100_000);
  cluster.patch(`${lease}/n1`, renew('n1', 1));
  await cluster.clock.advance(15_000);
  assert.deepEqual([taintsOf(cluster, 'n1'), taintsOf(cluster, 'n2')], [[], []]);
  cluster.patch(`${lease}/n1`, renew('n1', 2));
  await cluster.clock.advance(30_000);
  const lost = ['unreachable:NoSchedule', 'unreachable:NoExecute'];
  assert.deepEqual([taintsOf(cluster, 'n1'), taintsOf(cluster, 'n2')], [[], lost]);
});

test('the pods of a node that is removed are gone', async () => {
  const cluster = startCluster();
  cluster.post(`${core}/pods`, {
    metadata: { name: 'a' },
    spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'web:1' }] },
  });
  await cluster.clock.advance(100);
  cluster.remove('/api/v1/nodes/n1');
  await cluster.clock.advance(100);
  assert.equal(cluster.get(`${core}/pods/a`).status, 404);
});
