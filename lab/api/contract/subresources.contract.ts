import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, listAt, objectAt, textAt, valueAt } from '../json.ts';
import type { World } from './contract-world.ts';

const selector = { matchLabels: { app: 'web' } };
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
};
const autoscaling = 'autoscaling/v1';

/** What hangs below an object and is not a part of it. */
export function subresourcesContract(world: World): void {
  async function deployment(replicas: number): Promise<string> {
    const path = `/apis/apps/v1/namespaces/${await world.namespace()}/deployments`;
    const body = { metadata: { name: 'web' }, spec: { replicas, selector, template } };
    assert.equal((await world.admin.post(path, body)).status, 201);
    return `${path}/web`;
  }

  async function pod(labels: Record<string, string> = {}): Promise<string> {
    const namespace = await world.namespace();
    const place = `/api/v1/namespaces/${namespace}`;
    await world.admin.post(`${place}/serviceaccounts`, { metadata: { name: 'default' } });
    const body = { metadata: { name: 'web', labels }, spec: template.spec };
    assert.equal((await world.admin.post(`${place}/pods`, body)).status, 201);
    return `${place}/pods/web`;
  }

  test('a scale says how many are wanted, how many there are, and which', async () => {
    const path = await deployment(2);
    const { body } = await world.admin.get(`${path}/scale`);
    const { kind, apiVersion, metadata, spec, status } = body as JsonObject;
    assert.deepEqual(
      { kind, apiVersion, spec, status },
      {
        kind: 'Scale',
        apiVersion: autoscaling,
        spec: { replicas: 2 },
        status: { replicas: 0, selector: 'app=web' },
      },
    );
    assert.deepEqual(Object.keys(metadata ?? {}).sort(), [
      'creationTimestamp',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ]);
  });

  test('a scale is patched and replaced, and the workload follows', async () => {
    const path = await deployment(2);
    const replicas = async () => valueAt((await world.admin.get(path)).body, 'spec', 'replicas');
    const patched = await world.admin.patch(`${path}/scale`, { spec: { replicas: 5 } });
    assert.equal(patched.status, 200);
    assert.deepEqual(objectAt(patched.body, 'spec'), { replicas: 5 });
    assert.equal(await replicas(), 5);
    const scale = patched.body as JsonObject;
    const replaced = await world.admin.put(`${path}/scale`, { ...scale, spec: { replicas: 0 } });
    assert.equal(replaced.status, 200);
    assert.equal(await replicas(), 0);
    const late = await world.admin.put(`${path}/scale`, { ...scale, spec: { replicas: 1 } });
    assert.equal(late.status, 409);
  });

  test('a scale below zero, or of what is not there, is refused', async () => {
    const path = await deployment(2);
    const negative = await world.admin.patch(`${path}/scale`, { spec: { replicas: -1 } });
    assert.equal(negative.status, 422);
    const missing = await world.admin.get(path.replace(/web$/, 'other/scale'));
    assert.equal(missing.status, 404);
    assert.equal(textAt(missing.body, 'message'), 'deployments.apps "other" not found');
  });

  test('a binding gives a pod its node, once', async () => {
    const path = await pod();
    const target = { target: { kind: 'Node', name: 'n1' } };
    const first = await world.admin.post(`${path}/binding`, {
      ...target,
      metadata: { name: 'web' },
    });
    assert.deepEqual([first.status, textAt(first.body, 'status')], [201, 'Success']);
    const { body } = await world.admin.get(path);
    assert.equal(textAt(body, 'spec', 'nodeName'), 'n1');
    const [condition] = listAt(body, 'status', 'conditions') as JsonObject[];
    assert.deepEqual([condition?.['type'], condition?.['status']], ['PodScheduled', 'True']);
    const second = await world.admin.post(`${path}/binding`, {
      ...target,
      metadata: { name: 'web' },
    });
    assert.equal(second.status, 409);
  });

  const evictionOf = (body: JsonObject = {}) => ({
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'web' },
    ...body,
  });

  test('an eviction deletes the pod', async () => {
    const path = await pod();
    const { status, body } = await world.admin.post(`${path}/eviction`, evictionOf());
    assert.deepEqual([status, textAt(body, 'status')], [201, 'Success']);
    assert.equal((await world.admin.get(path)).status, 404);
    assert.equal((await world.admin.post(`${path}/eviction`, evictionOf())).status, 404);
  });

  test('an eviction waits for the budget that needs the pod', async () => {
    const path = await pod({ app: 'web' });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await world.admin.patch(`${path}/status`, { status });
    const namespace = path.split('/')[4] ?? '';
    const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    const spec = { minAvailable: 1, selector };
    await world.admin.post(budgets, { metadata: { name: 'budget' }, spec });
    const counted = (disruptionsAllowed: number) =>
      world.admin.patch(`${budgets}/budget/status`, {
        status: {
          observedGeneration: 1,
          disruptionsAllowed,
          currentHealthy: 1,
          desiredHealthy: 1,
          expectedPods: 1,
        },
      });
    await counted(0);
    const refused = await world.admin.post(`${path}/eviction`, evictionOf());
    assert.equal(refused.status, 429);
    assert.equal(
      textAt(refused.body, 'message'),
      "Cannot evict pod as it would violate the pod's disruption budget.",
    );
    assert.deepEqual(listAt(refused.body, 'details', 'causes'), [
      {
        reason: 'DisruptionBudget',
        message: 'The disruption budget budget needs 1 healthy pods and has 1 currently',
      },
    ]);
    await counted(1);
    assert.equal((await world.admin.post(`${path}/eviction`, evictionOf())).status, 201);
    const { body } = await world.admin.get(`${budgets}/budget`);
    assert.equal(valueAt(body, 'status', 'disruptionsAllowed'), 0);
  });

  test('a log needs a pod, a container of it, and a node', async () => {
    const path = await pod();
    const message = async (query: string) => {
      const { status, body } = await world.admin.get(`${path}/log${query}`);
      return [status, textAt(body, 'message')];
    };
    assert.deepEqual(await message('?container=other'), [
      400,
      'container other is not valid for pod web',
    ]);
    assert.equal((await world.admin.get(path.replace(/web$/, 'other/log'))).status, 404);
  });

  test('what hangs below is in the list of resources', async () => {
    const { body } = await world.admin.get('/apis/apps/v1');
    const found = (listAt(body, 'resources') as JsonObject[]).find(
      ({ name }) => name === 'deployments/scale',
    );
    const { kind, group, version, verbs } = found ?? {};
    assert.deepEqual(
      { kind, group, version, verbs },
      { kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 'patch', 'update'] },
    );
  });
}
