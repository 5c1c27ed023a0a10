import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSurvives } from './hostile.fixture.ts';
import type { KubeObject } from './kube-object.ts';
import { isProblem, must } from './parsed.ts';
import { readService } from './read-service.ts';

const bare: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  spec: { type: 'LoadBalancer', clusterIP: '10.96.0.7', ipFamilies: ['IPv4'] },
};

const full: KubeObject = {
  ...bare,
  metadata: {
    ...bare.metadata,
    labels: { app: 'web' },
    annotations: {
      'purelb.io/service-group': 'lan',
      'purelb.io/allow-shared-ip': 'key',
      'purelb.io/allocated-by': 'PureLB',
      'purelb.io/allocated-from': 'lan',
      'purelb.io/announcing-IPv4': 'node1,eth0,192.0.2.7',
    },
    finalizers: ['service.kubernetes.io/load-balancer-cleanup'],
  },
  spec: {
    type: 'LoadBalancer',
    loadBalancerClass: 'purelb.io/purelbv2',
    clusterIP: '10.96.0.7',
    ipFamilies: ['IPv6', 'IPv4'],
    ipFamilyPolicy: 'RequireDualStack',
    externalTrafficPolicy: 'Local',
    ports: [{ port: 80 }, { port: 53, protocol: 'UDP', nodePort: 30_053 }],
  },
  status: {
    loadBalancer: { ingress: [{ ip: '192.0.2.7', ipMode: 'VIP' }] },
    conditions: [{ type: 'Allocated', status: 'True' }],
  },
};

test('a Service is read as what the allocator and the agents need', () => {
  const { request, grant, identity, conditions, ...rest } = must(readService(full));
  assert.equal(identity.uid, 'u');
  assert.equal(request.group, 'lan');
  assert.deepEqual(grant.ingress, ['192.0.2.7']);
  assert.deepEqual(
    conditions.map(({ type }) => type),
    ['Allocated'],
  );
  assert.deepEqual(rest, {
    key: 'shop/web',
    labels: new Map([['app', 'web']]),
    hasFinalizer: true,
    type: 'LoadBalancer',
    isLoadBalancer: true,
    loadBalancerClass: 'purelb.io/purelbv2',
    hasClusterIp: true,
    families: ['ipv6', 'ipv4'],
    familyPolicy: 'RequireDualStack',
    ports: [
      { protocol: 'TCP', port: 80 },
      { protocol: 'UDP', port: 53 },
    ],
    externalTrafficPolicy: 'Local',
    routeWish: undefined,
  });
});

test('what a Service leaves out has its default', () => {
  const { families, familyPolicy, ports, externalTrafficPolicy, hasFinalizer, loadBalancerClass } =
    must(readService(bare));
  assert.deepEqual(
    { families, familyPolicy, ports, externalTrafficPolicy, hasFinalizer, loadBalancerClass },
    {
      families: ['ipv4'],
      familyPolicy: 'SingleStack',
      ports: [],
      externalTrafficPolicy: 'Cluster',
      hasFinalizer: false,
      loadBalancerClass: undefined,
    },
  );
});

test('a Service of another type or without a cluster IP is read as such', () => {
  const service = must(readService({ ...bare, spec: { type: 'ClusterIP', clusterIP: 'None' } }));
  assert.deepEqual([service.isLoadBalancer, service.hasClusterIp], [false, false]);
  assert.deepEqual(
    [service.type, must(readService({ metadata: { name: 'x' } })).type],
    ['ClusterIP', 'ClusterIP'],
  );
});

test('a Service that cannot be understood in part is still known with what it holds', () => {
  const reading = readService({
    ...full,
    spec: { type: 'LoadBalancer', ports: 'http', ipFamilies: ['IPv5', 'IPv4'], ipFamilyPolicy: 3 },
  });
  const { grant, families } = must(reading);
  assert.deepEqual([grant.ingress, families], [['192.0.2.7'], ['ipv4']]);
  assert.deepEqual(
    reading.warnings.map(({ path }) => path),
    ['spec.ipFamilies[0]', 'spec.ipFamilyPolicy', 'spec.ports'],
  );
});

test('only a Service without a name is refused', () => {
  assert.ok(isProblem(readService({ ...bare, metadata: { name: '' } })));
});

test('no shape of object makes the reader fail', () => {
  assertSurvives(readService, bare, full);
});
