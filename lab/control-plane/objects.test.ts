import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointSlice, loadBalancerStatus, namespace, node, pod, service } from './objects.ts';

test('a node has its addresses, its zone and whether it is ready', () => {
  const built = node({
    name: 'node1',
    addresses: ['192.0.2.11', '2001:db8::11'],
    labels: { rack: 'a' },
    podCidrs: ['198.51.100.0/26'],
    zone: 'west',
    ready: false,
  });
  assert.deepEqual(built, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'node1',
      labels: {
        'kubernetes.io/hostname': 'node1',
        'kubernetes.io/os': 'linux',
        'topology.kubernetes.io/zone': 'west',
        rack: 'a',
      },
    },
    spec: { podCIDR: '198.51.100.0/26', podCIDRs: ['198.51.100.0/26'] },
    status: {
      addresses: [
        { type: 'InternalIP', address: '192.0.2.11' },
        { type: 'InternalIP', address: '2001:db8::11' },
        { type: 'Hostname', address: 'node1' },
      ],
      conditions: [{ type: 'Ready', status: 'Unknown' }],
    },
  });
});

test('a Service and its EndpointSlice name their ports alike', () => {
  const ports = [
    { port: 80, targetPort: 8080 },
    { port: 53, protocol: 'UDP' as const, name: 'dns' },
  ];
  assert.deepEqual(service({ name: 'web', ports, spec: { externalTrafficPolicy: 'Local' } }), {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default', labels: {}, annotations: {} },
    spec: {
      type: 'LoadBalancer',
      ports: [
        { name: 'tcp-80', protocol: 'TCP', port: 80, targetPort: 8080 },
        { name: 'dns', protocol: 'UDP', port: 53, targetPort: 53 },
      ],
      externalTrafficPolicy: 'Local',
    },
  });
  const { ports: ofEndpoints } = endpointSlice({ service: 'web', ports, endpoints: [] });
  assert.deepEqual(ofEndpoints, [
    { name: 'tcp-80', protocol: 'TCP', port: 8080 },
    { name: 'dns', protocol: 'UDP', port: 53 },
  ]);
});

test('an EndpointSlice belongs to its Service and says of each endpoint where and how it is', () => {
  const built = endpointSlice({
    service: 'web',
    namespace: 'shop',
    ports: [],
    endpoints: [
      { ip: '2001:db8:1::1', node: 'node1' },
      { ip: '2001:db8:1::2', state: 'unready' },
      { ip: '2001:db8:1::3', state: 'terminating' },
    ],
  });
  const conditions = (ready: boolean, serving: boolean, terminating: boolean) => ({
    conditions: { ready, serving, terminating },
  });
  assert.deepEqual(built, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'web-ipv6',
      namespace: 'shop',
      labels: {
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'purelb-lab',
      },
    },
    addressType: 'IPv6',
    endpoints: [
      { addresses: ['2001:db8:1::1'], ...conditions(true, true, false), nodeName: 'node1' },
      { addresses: ['2001:db8:1::2'], ...conditions(false, false, false) },
      { addresses: ['2001:db8:1::3'], ...conditions(false, true, true) },
    ],
    ports: [],
  });
});

test('a pod runs on its node under its addresses', () => {
  const built = pod({
    name: 'web-1',
    node: 'node1',
    ips: ['198.51.100.1'],
    labels: { app: 'web' },
  });
  assert.deepEqual(built, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'default', labels: { app: 'web' } },
    spec: { nodeName: 'node1', containers: [{ name: 'main', image: 'lab' }] },
    status: {
      phase: 'Running',
      podIP: '198.51.100.1',
      podIPs: [{ ip: '198.51.100.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
});

test('namespaces and load balancer states are as small as they can be', () => {
  assert.deepEqual(namespace('shop'), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop', labels: {} },
  });
  assert.deepEqual(loadBalancerStatus(['203.0.113.1', '2001:db8::1']), {
    loadBalancer: { ingress: [{ ip: '203.0.113.1' }, { ip: '2001:db8::1' }] },
  });
});

test('an EndpointSlice without endpoints is of the family that it is asked for', () => {
  const { metadata, addressType } = endpointSlice({
    service: 'web',
    family: 'ipv6',
    ports: [],
    endpoints: [],
  });
  assert.deepEqual([metadata.name, addressType], ['web-ipv6', 'IPv6']);
});
