import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inProcess } from '../../api.fixture.ts';
import { type JsonObject, listAt } from '../../json.ts';
import { claimsOf } from './service-allocations.ts';

const services = '/api/v1/namespaces/default/services';
const spec = fc.record(
  {
    type: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer'),
    ipFamilyPolicy: fc.constantFrom('SingleStack', 'PreferDualStack'),
    externalTrafficPolicy: fc.constantFrom('Cluster', 'Local'),
    allocateLoadBalancerNodePorts: fc.boolean(),
    clusterIP: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1'),
    ports: fc.constantFrom<JsonObject[][]>(
      [{ port: 80 }],
      [{ port: 80, nodePort: 30_001 }],
      [
        { name: 'a', port: 80 },
        { name: 'b', port: 80, protocol: 'UDP' },
      ],
    ),
  },
  { requiredKeys: [] },
);
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('create', 'change', 'delete'),
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    spec,
  }),
  { maxLength: 25 },
);

test('no address and no node port is ever given twice', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const server = inProcess({ serviceCidrs: ['192.0.2.0/28', '2001:db8::/124'] });
      for (const step of plan) {
        const path = `${services}/${step.name}`;
        const wishes = { ports: [{ port: 80 }], ...step.spec } as JsonObject;
        if (step.kind === 'create') {
          server.post(services, { metadata: { name: step.name }, spec: wishes });
        } else if (step.kind === 'change') {
          server.patch(path, { spec: step.spec });
        } else {
          server.remove(path);
        }
        const stored = [...server.api.core.store.collection('services').entries()];
        const claims = stored.flatMap(([, service]) => claimsOf(service));
        assert.equal(new Set(claims).size, claims.length);
      }
      server.api.stop();
    }),
    { numRuns: 80 },
  );
});

test('a full range refuses, and gives again what was given back', () => {
  const server = inProcess({ serviceCidrs: ['192.0.2.0/30'] });
  const create = (name: string) =>
    server.post(services, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
  // Of four addresses the first and the last are never given, and `kubernetes` has one.
  const first = create('a');
  assert.deepEqual(listAt(first.body, 'spec', 'clusterIPs'), ['192.0.2.2']);
  assert.equal(create('b').status, 500);
  server.remove(`${services}/a`);
  assert.equal(create('b').status, 201);
});

test('in a cluster of one family a second one is refused, or left out', () => {
  const server = inProcess({ serviceCidrs: ['192.0.2.0/24'] });
  const create = (name: string, ipFamilyPolicy: string) =>
    server.post(services, { metadata: { name }, spec: { ports: [{ port: 80 }], ipFamilyPolicy } });
  assert.deepEqual(listAt(create('a', 'PreferDualStack').body, 'spec', 'ipFamilies'), ['IPv4']);
  assert.equal(create('b', 'RequireDualStack').status, 422);
});
