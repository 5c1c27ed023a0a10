import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../model/kube-object.ts';
import { mattersToPlan, serviceProjection } from './known-service.ts';

const know = serviceProjection();

function service(change: { annotations?: Record<string, string>; [field: string]: unknown } = {}) {
  const { annotations = {}, spec, status, labels = {} } = change;
  return {
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'u1',
      resourceVersion: '7',
      labels,
      annotations: { 'example.com/large': 'x', ...annotations },
    },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...(spec as object) },
    status,
  } as KubeObject;
}

test('16.72: what the agents write calls for no plan, whatever else changes does', () => {
  const before = know(service());
  const matters = (change: Parameters<typeof service>[0]) =>
    mattersToPlan(before, know(service(change)));
  const announcing = { 'purelb.io/announcing-IPv4': 'node1,eth0,192.0.2.1' };
  assert.deepEqual(
    [
      matters({}),
      matters({ annotations: announcing }),
      matters({ annotations: { 'example.com/large': 'y' } }),
      matters({ annotations: { ...announcing, 'purelb.io/service-group': 'x' } }),
      matters({ spec: { externalTrafficPolicy: 'Local' } }),
      matters({ labels: { app: 'web' } }),
      matters({ status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }),
      mattersToPlan(before, undefined),
      mattersToPlan(undefined, before),
    ],
    [false, false, false, true, true, true, true, true, true],
  );
});

test('16.73: the object that came is left as it is', () => {
  const object = service({ annotations: { 'purelb.io/service-group': 'x' } });
  const copy = structuredClone(object);
  know(object);
  assert.deepEqual(object, copy);
});

test('of a Service that is none of our business only its name is kept, of others no foreign annotation', () => {
  const other = know(service({ spec: { type: 'ClusterIP' } }));
  const metadata = { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' };
  assert.deepEqual(other, { metadata, balancer: undefined, warnings: [] });
  const ours = know(service({ annotations: { 'purelb.io/service-group': 'x' } }));
  assert.deepEqual(ours.metadata.annotations, { 'purelb.io/service-group': 'x' });
});

test('a Service that is no load balancer any more is ours as long as it carries a mark of ours', () => {
  const marked = { spec: { type: 'ClusterIP' }, annotations: { 'purelb.io/pool-type': 'local' } };
  assert.equal(know(service(marked)).balancer?.isLoadBalancer, false);
});
