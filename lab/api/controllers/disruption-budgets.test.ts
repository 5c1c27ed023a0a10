import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '../json.ts';
import { apps, core, startCluster, workload } from './controllers.fixture.ts';

const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

test('a budget lets go as many pods as are to spare, one by one', async () => {
  const cluster = startCluster();
  const selector = { matchLabels: { app: 'web' } };
  cluster.post(`${apps}/deployments`, workload('web', { replicas: 3 }));
  cluster.post(budgets, { metadata: { name: 'web' }, spec: { minAvailable: 2, selector } });
  await cluster.clock.advance(1000);
  const numbers = () => {
    const { body } = cluster.get(`${budgets}/web`);
    return ['expectedPods', 'currentHealthy', 'desiredHealthy', 'disruptionsAllowed'].map((field) =>
      valueAt(body, 'status', field),
    );
  };
  assert.deepEqual(numbers(), [3, 3, 2, 1]);
  const [first = '', second = ''] = cluster.hands.list('pods').map((pod) => pod.metadata.name);
  const evict = (name: string) =>
    cluster.post(`${core}/pods/${name}/eviction`, { metadata: { name } }).status;
  assert.equal(evict(first), 201);
  assert.equal(evict(second), 429);
  assert.deepEqual(numbers(), [3, 3, 2, 0]);
  await cluster.clock.advance(1000);
  assert.deepEqual(numbers(), [3, 3, 2, 1]);
  assert.equal(evict(second), 201);
});

test('shares are of what the controllers want', async () => {
  const cluster = startCluster();
  const selector = { matchLabels: { app: 'web' } };
  cluster.post(`${apps}/deployments`, workload('web', { replicas: 4 }));
  cluster.post(budgets, { metadata: { name: 'web' }, spec: { maxUnavailable: '30%', selector } });
  await cluster.clock.advance(1000);
  assert.equal(valueAt(cluster.get(`${budgets}/web`).body, 'status', 'desiredHealthy'), 2);
});
