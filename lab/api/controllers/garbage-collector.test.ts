import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apps, core, podsOf, startCluster, workload } from './controllers.fixture.ts';

const deployments = `${apps}/deployments`;

async function withDeployment() {
  const cluster = startCluster();
  cluster.post(deployments, workload('web', { replicas: 2 }));
  await cluster.clock.advance(1000);
  const kinds = () => [
    cluster.hands.list('deployments.apps').length,
    cluster.hands.list('replicasets.apps').length,
    cluster.hands.list('pods').length,
  ];
  return { cluster, kinds };
}

test('in the background: the owner goes at once, what it owns follows', async () => {
  const { cluster, kinds } = await withDeployment();
  cluster.remove(`${deployments}/web`);
  assert.deepEqual(kinds(), [0, 1, 2]);
  await cluster.clock.advance(1000);
  assert.deepEqual(kinds(), [0, 0, 0]);
});

test('in the foreground: the owner waits for what it owns', async () => {
  const { cluster, kinds } = await withDeployment();
  cluster.remove(`${deployments}/web?propagationPolicy=Foreground`);
  await cluster.clock.settle();
  assert.deepEqual(kinds(), [1, 1, 2]);
  await cluster.clock.advance(1000);
  assert.deepEqual(kinds(), [0, 0, 0]);
});

test('orphaned: what it owned stays, and a successor adopts it', async () => {
  const { cluster, kinds } = await withDeployment();
  const names = cluster.hands.list('pods').map(({ metadata }) => metadata.name);
  cluster.remove(`${deployments}/web?propagationPolicy=Orphan`);
  await cluster.clock.advance(1000);
  assert.deepEqual(kinds(), [0, 1, 2]);
  assert.equal(cluster.hands.list('replicasets.apps')[0]?.metadata.ownerReferences, undefined);
  cluster.post(deployments, workload('web', { replicas: 2 }));
  await cluster.clock.advance(1000);
  assert.deepEqual(kinds(), [1, 1, 2]);
  assert.deepEqual(
    cluster.hands.list('pods').map(({ metadata }) => metadata.name),
    names,
  );
});

test('an object with several owners lives as long as one of them', async () => {
  const { clock, post, remove, get, hands } = startCluster();
  for (const name of ['a', 'b']) post(`${core}/configmaps`, { metadata: { name } });
  const ownerReferences = ['a', 'b'].map((name) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    uid: hands.get('configmaps', `default/${name}`)?.metadata.uid ?? '',
  }));
  post(`${core}/secrets`, { metadata: { name: 'owned', ownerReferences } });
  remove(`${core}/configmaps/a`);
  await clock.advance(100);
  assert.equal(get(`${core}/secrets/owned`).status, 200);
  remove(`${core}/configmaps/b`);
  await clock.advance(100);
  assert.equal(get(`${core}/secrets/owned`).status, 404);
});

test('an owner of the same name but another identity is none', async () => {
  const cluster = startCluster();
  cluster.post(`${core}/configmaps`, { metadata: { name: 'a' } });
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'before' };
  cluster.post(`${core}/secrets`, { metadata: { name: 'lost', ownerReferences: [reference] } });
  await cluster.clock.advance(100);
  assert.equal(cluster.get(`${core}/secrets/lost`).status, 404);
  assert.deepEqual(podsOf(cluster), []);
});
