import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, listAt, textAt, valueAt } from '../json.ts';
import { apps, type Cluster, core, startCluster, workload } from './controllers.fixture.ts';

const service = (spec: JsonObject = {}) => ({
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }], ...spec },
});

/** `IPv4 8080: address node ready/serving/terminating`, by address. */
function slicesOf({ hands }: Cluster): readonly string[] {
  return hands.list('endpointslices.discovery.k8s.io').map((slice) => {
    const ports = listAt(slice, 'ports').map((port) => String(valueAt(port, 'port')));
    const endpoints = listAt(slice, 'endpoints').map((it) => {
      const state = ['ready', 'serving', 'terminating']
        .filter((name) => valueAt(it, 'conditions', name) === true)
        .join('+');
      return `${String(listAt(it, 'addresses')[0])} ${textAt(it, 'nodeName')} ${state}`;
    });
    return `${textAt(slice, 'addressType')} ${ports.join()}: ${endpoints.sort().join(', ')}`;
  });
}

test('the ready pods that a Service selects are its endpoints', async () => {
  const cluster = startCluster();
  cluster.post(`${core}/services`, service());
  await cluster.clock.settle();
  assert.deepEqual(slicesOf(cluster), ['IPv4 : ']);
  cluster.post(`${apps}/deployments`, workload('web', { replicas: 2 }));
  await cluster.clock.advance(1000);
  cluster.post(`${apps}/deployments`, workload('other', { replicas: 1 }));
  await cluster.clock.advance(1000);
  const lines = slicesOf(cluster).map((line) => line.replaceAll(/n[12]/g, 'node'));
  assert.deepEqual(lines, [
    'IPv4 8080: 192.0.2.1 node ready+serving, 192.0.2.2 node ready+serving',
  ]);
});

test('a pod that is not ready, or about to end, says so in its endpoint', async () => {
  const cluster = startCluster({ isWorking: ({ metadata }) => metadata.name !== 'bad' });
  cluster.post(`${core}/services`, service());
  for (const name of ['bad', 'good']) {
    const spec = { containers: [{ name: 'main', image: 'web:1' }], nodeName: 'n1' };
    cluster.post(`${core}/pods`, { metadata: { name, labels: { app: 'web' } }, spec });
  }
  cluster.patch(`${core}/services/web`, { spec: { ports: [{ port: 80, targetPort: 9 }] } });
  await cluster.clock.advance(1000);
  assert.deepEqual(slicesOf(cluster), ['IPv4 9: 192.0.2.1 n1 , 192.0.2.2 n1 ready+serving']);
  cluster.remove(`${core}/pods/good`);
  await cluster.clock.settle();
  assert.deepEqual(slicesOf(cluster), ['IPv4 9: 192.0.2.1 n1 , 192.0.2.2 n1 serving+terminating']);
});

test('slices go with their Service, and a Service without a selector has none', async () => {
  const cluster = startCluster();
  cluster.post(`${core}/services`, service());
  cluster.post(`${core}/services`, { ...service({ selector: {} }), metadata: { name: 'bare' } });
  await cluster.clock.advance(100);
  assert.equal(slicesOf(cluster).length, 1);
  cluster.remove(`${core}/services/web`);
  await cluster.clock.advance(100);
  assert.deepEqual(slicesOf(cluster), []);
});

test('both families have slices of their own', async () => {
  const cluster = startCluster();
  cluster.post(`${core}/services`, service({ ipFamilyPolicy: 'RequireDualStack' }));
  await cluster.clock.advance(100);
  assert.deepEqual(slicesOf(cluster).toSorted(), ['IPv4 : ', 'IPv6 : ']);
});
