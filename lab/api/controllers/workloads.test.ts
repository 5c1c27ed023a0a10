import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, objectAt, textAt, valueAt } from '../json.ts';
import { apps, core, imageChange, podsOf, startCluster, workload } from './controllers.fixture.ts';

const deployments = `${apps}/deployments`;

test('a Deployment becomes pods, spread over the nodes', async () => {
  const cluster = startCluster();
  cluster.post(deployments, workload('web', { replicas: 4 }));
  await cluster.clock.advance(1000);
  const on = (node: string) => `web web:1 ${node}`;
  assert.deepEqual(podsOf(cluster), [on('n1'), on('n1'), on('n2'), on('n2')]);
  const { body } = cluster.get(`${deployments}/web`);
  const { conditions: _conditions, ...counts } = objectAt(body, 'status');
  assert.deepEqual(counts, {
    observedGeneration: 1,
    replicas: 4,
    updatedReplicas: 4,
    readyReplicas: 4,
    availableReplicas: 4,
  });
  assert.deepEqual(conditionsOf(body), [
    'Available True MinimumReplicasAvailable',
    'Progressing True NewReplicaSetAvailable',
  ]);
});

function conditionsOf(object: Parameters<typeof listAt>[0]): readonly string[] {
  return listAt(object, 'status', 'conditions').map((it) =>
    ['type', 'status', 'reason'].map((field) => textAt(it, field)).join(' '),
  );
}

test('events tell what was done', async () => {
  const cluster = startCluster({ nodes: ['n1'] });
  cluster.post(deployments, workload('web', { replicas: 1 }));
  await cluster.clock.advance(1000);
  const told = cluster.hands.list('events').map((event) => {
    const about = textAt(event, 'involvedObject', 'kind');
    const hidden = textAt(event, 'message').replaceAll(/web-\w+(?:-\w+)?/g, 'web-…');
    return `${about} ${textAt(event, 'reason')}: ${hidden}`;
  });
  assert.deepEqual(told.sort(), [
    'Deployment ScalingReplicaSet: Scaled up replica set web-… from 0 to 1',
    'Pod Scheduled: Successfully assigned default/web-… to n1',
    'ReplicaSet SuccessfulCreate: Created pod: web-…',
  ]);
});

test('once all is quiet nothing is written any more', async () => {
  const cluster = startCluster();
  cluster.post(deployments, workload('web', { replicas: 3 }));
  cluster.post(`${apps}/daemonsets`, workload('each'));
  await cluster.clock.advance(5000);
  const { revision } = cluster.api.core.store;
  await cluster.clock.advance(60_000);
  assert.equal(cluster.api.core.store.revision, revision);
});

test('a new template rolls, never below what was promised', async () => {
  const cluster = startCluster();
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  cluster.post(deployments, workload('web', { replicas: 3, strategy }));
  await cluster.clock.advance(1000);
  let fewest = 3;
  cluster.api.core.store.collection('pods').subscribe(() => {
    const ready = cluster.hands.list('pods').filter(({ metadata, status }) => {
      const isReady = textAt(listAt(status, 'conditions')[0], 'status') === 'True';
      return metadata.deletionTimestamp === undefined && isReady;
    });
    fewest = Math.min(fewest, ready.length);
  });
  cluster.patch(`${deployments}/web`, imageChange('web:2'));
  await cluster.clock.advance(5000);
  assert.deepEqual(
    podsOf(cluster).map((line) => line.slice(0, 9)),
    Array(3).fill('web web:2'),
  );
  assert.equal(fewest, 3);
  const sets = cluster.hands
    .list('replicasets.apps')
    .map((set) => [
      set.metadata.annotations?.['deployment.kubernetes.io/revision'],
      valueAt(set, 'spec', 'replicas'),
    ]);
  assert.deepEqual(sets.sort(), [
    ['1', 0],
    ['2', 3],
  ]);
});

test('a template that comes back is a new revision of the old set', async () => {
  const cluster = startCluster();
  cluster.post(deployments, workload('web'));
  await cluster.clock.advance(1000);
  for (const image of ['web:2', 'web:1']) {
    cluster.patch(`${deployments}/web`, {
      spec: {
        template: {
          spec: {
            containers: [{ name: 'main', image, ports: [{ name: 'http', containerPort: 8080 }] }],
          },
        },
      },
    });
    await cluster.clock.advance(2000);
  }
  const { body } = cluster.get(`${deployments}/web`);
  assert.equal(objectAt(body, 'metadata', 'annotations')['deployment.kubernetes.io/revision'], '3');
  assert.equal(cluster.hands.list('replicasets.apps').length, 2);
});

test('a rollout that gets nowhere says so after its deadline', async () => {
  const isWorking = (pod: Parameters<typeof textAt>[0]) =>
    textAt(listAt(pod, 'spec', 'containers')[0], 'image') !== 'web:bad';
  const cluster = startCluster({ isWorking });
  cluster.post(deployments, workload('web', { replicas: 2, progressDeadlineSeconds: 20 }));
  await cluster.clock.advance(1000);
  cluster.patch(`${deployments}/web`, imageChange('web:bad'));
  await cluster.clock.advance(15_000);
  const progress = () => conditionsOf(cluster.get(`${deployments}/web`).body)[1];
  assert.equal(progress(), 'Progressing True ReplicaSetUpdated');
  await cluster.clock.advance(15_000);
  assert.equal(progress(), 'Progressing False ProgressDeadlineExceeded');
});

test('scaling up and down', async () => {
  const cluster = startCluster();
  cluster.post(deployments, workload('web', { replicas: 1 }));
  await cluster.clock.advance(1000);
  for (const replicas of [5, 2, 0]) {
    cluster.patch(`${deployments}/web/scale`, { spec: { replicas } });
    await cluster.clock.advance(2000);
    assert.equal(podsOf(cluster).length, replicas);
  }
});

test('a pod that is deleted is replaced', async () => {
  const cluster = startCluster();
  cluster.post(deployments, workload('web', { replicas: 2 }));
  await cluster.clock.advance(1000);
  const [first] = cluster.hands.list('pods');
  cluster.remove(`${core}/pods/${first?.metadata.name ?? ''}`);
  await cluster.clock.advance(1000);
  assert.equal(podsOf(cluster).length, 2);
  assert.ok(!cluster.hands.list('pods').some((pod) => pod.metadata.uid === first?.metadata.uid));
});

test('a DaemonSet has one pod per node, cordoned ones too, and rolls one by one', async () => {
  const cluster = startCluster({ nodes: ['n1', 'n2', 'n3'] });
  cluster.patch('/api/v1/nodes/n2', { spec: { unschedulable: true } });
  cluster.post(`${apps}/daemonsets`, workload('each'));
  await cluster.clock.advance(1000);
  assert.deepEqual(
    podsOf(cluster),
    ['n1', 'n2', 'n3'].map((node) => `each web:1 ${node}`),
  );
  cluster.patch(`${apps}/daemonsets/each`, imageChange('web:2'));
  await cluster.clock.advance(5000);
  assert.deepEqual(
    podsOf(cluster),
    ['n1', 'n2', 'n3'].map((node) => `each web:2 ${node}`),
  );
  const { status } = cluster.get(`${apps}/daemonsets/each`).body;
  assert.deepEqual(status, {
    currentNumberScheduled: 3,
    numberMisscheduled: 0,
    desiredNumberScheduled: 3,
    numberReady: 3,
    observedGeneration: 2,
    updatedNumberScheduled: 3,
    numberAvailable: 3,
  });
});

test('every namespace has its default account', async () => {
  const cluster = startCluster();
  cluster.post('/api/v1/namespaces', { metadata: { name: 'a' } });
  await cluster.clock.settle();
  assert.equal(cluster.get('/api/v1/namespaces/a/serviceaccounts/default').status, 200);
});

test('stopped, the controllers leave no timer', async () => {
  const cluster = startCluster();
  cluster.post(deployments, workload('web', { replicas: 2, progressDeadlineSeconds: 600 }));
  cluster.api.stop();
  await cluster.clock.advance(1000);
  assert.equal(podsOf(cluster).length, 0);
  assert.equal(cluster.clock.pendingTimers, 0);
});
