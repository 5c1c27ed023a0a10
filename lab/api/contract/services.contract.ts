import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, listAt } from '../json.ts';
import type { World } from './contract-world.ts';
import { at, causes, outcome } from './look.ts';

/** Services: addresses, ports, families and types. */
export function servicesContract(world: World): void {
  const place = async () => {
    const services = `/api/v1/namespaces/${await world.namespace()}/services`;
    const create = (spec: JsonObject = {}, name = 'a') =>
      world.admin.post(services, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
    const change = (spec: JsonObject, name = 'a') =>
      world.admin.patch(`${services}/${name}`, { spec });
    return { services, create, change };
  };

  test('defaults', async () => {
    const { create } = await place();
    const { body } = await create();
    const { clusterIP, clusterIPs, ...spec } = at(body, 'spec') as JsonObject;
    assert.match(String(clusterIP), /^10\.96\./);
    assert.deepEqual(clusterIPs, [clusterIP]);
    assert.deepEqual(spec, {
      type: 'ClusterIP',
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
    assert.deepEqual(at(body, 'status'), { loadBalancer: {} });
    assert.equal(at(body, 'metadata.generation'), undefined);
  });

  test('a load balancer gets node ports unless it wants none', async () => {
    const { create } = await place();
    const { body } = await create({ type: 'LoadBalancer' });
    const nodePort = Number(at(body, 'spec.ports.0.nodePort'));
    assert.ok(nodePort >= 30_000 && nodePort <= 32_767);
    assert.equal(at(body, 'spec.allocateLoadBalancerNodePorts'), true);
    assert.equal(at(body, 'spec.externalTrafficPolicy'), 'Cluster');
    const bare = await create({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }, 'b');
    assert.equal(at(bare.body, 'spec.ports.0.nodePort'), undefined);
  });

  test('the same port over TCP and UDP gets the same node port', async () => {
    const { create } = await place();
    const ports = [
      { name: 'tcp', port: 53 },
      { name: 'udp', port: 53, protocol: 'UDP' },
    ];
    const { body } = await create({ type: 'NodePort', ports });
    assert.equal(at(body, 'spec.ports.0.nodePort'), at(body, 'spec.ports.1.nodePort'));
  });

  test('asked for addresses and ports are given once', async () => {
    const { create } = await place();
    const nodePort = (port: number) => ({
      type: 'NodePort',
      ports: [{ port: 80, nodePort: port }],
    });
    assert.equal(at((await create(nodePort(30_123))).body, 'spec.ports.0.nodePort'), 30_123);
    assert.deepEqual(causes(await create(nodePort(30_123), 'b')), [
      'spec.ports[0].nodePort: Invalid value: 30123: provided port is already allocated',
    ]);
    assert.deepEqual(causes(await create(nodePort(80), 'b')), [
      'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ]);
    const address = { clusterIP: '10.96.0.77' };
    assert.equal(at((await create(address, 'c')).body, 'spec.clusterIP'), '10.96.0.77');
    assert.deepEqual(causes(await create(address, 'd')), [
      'spec.clusterIPs: Invalid value: ["10.96.0.77"]: failed to allocate IP 10.96.0.77: provided IP is already allocated',
    ]);
    await world.admin.delete(
      `/api/v1/namespaces/${String(at((await create({}, 'e')).body, 'metadata.namespace'))}/services/c`,
    );
    assert.equal(outcome(await create(address, 'f')), '201');
  });

  test('a health check port exists only for local traffic', async () => {
    const { create, change } = await place();
    const local = await create({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    const port = Number(at(local.body, 'spec.healthCheckNodePort'));
    assert.ok(port >= 30_000 && port <= 32_767);
    assert.deepEqual(
      causes(await change({ healthCheckNodePort: port === 31_000 ? 31_001 : 31_000 })),
      ['spec.healthCheckNodePort: Forbidden: field is immutable'],
    );
    const cluster = await change({ externalTrafficPolicy: 'Cluster' });
    assert.equal(at(cluster.body, 'spec.healthCheckNodePort'), undefined);
  });

  test('families follow policy, wish and address', async () => {
    const { create } = await place();
    const families = async (name: string, spec: JsonObject) => {
      const { body } = await create(spec, name);
      return [at(body, 'spec.ipFamilyPolicy'), listAt(body, 'spec', 'ipFamilies').join()].join(' ');
    };
    assert.equal(
      await families('a', { ipFamilyPolicy: 'PreferDualStack' }),
      'PreferDualStack IPv4,IPv6',
    );
    assert.equal(
      await families('b', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }),
      'RequireDualStack IPv6,IPv4',
    );
    assert.equal(await families('c', { ipFamilies: ['IPv6'] }), 'SingleStack IPv6');
    assert.equal(await families('d', { clusterIP: 'fd00:96::77' }), 'SingleStack IPv6');
    assert.equal(await families('e', { clusterIP: 'None' }), 'RequireDualStack IPv4,IPv6');
    const headless = { clusterIP: 'None', selector: { app: 'x' } };
    assert.equal(await families('f', headless), 'SingleStack IPv4');
    assert.deepEqual(causes(await create({ ipFamilies: ['IPv4', 'IPv6'] }, 'g')), [
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    ]);
    assert.deepEqual(causes(await create({ clusterIP: '10.96.0.78', ipFamilies: ['IPv6'] }, 'g')), [
      'spec.clusterIPs[0]: Invalid value: "10.96.0.78": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ]);
  });

  test('a second family comes and goes, the first stays', async () => {
    const { create, change } = await place();
    const first = at((await create()).body, 'spec.clusterIP');
    const dual = await change({ ipFamilyPolicy: 'PreferDualStack' });
    assert.deepEqual(at(dual.body, 'spec.ipFamilies'), ['IPv4', 'IPv6']);
    assert.equal(at(dual.body, 'spec.clusterIPs.0'), first);
    assert.deepEqual(causes(await change({ ipFamilies: ['IPv4'] })), [
      'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be \'SingleStack\' to release the secondary IP family',
    ]);
    const single = await change({ ipFamilyPolicy: 'SingleStack' });
    assert.deepEqual(at(single.body, 'spec.clusterIPs'), [first]);
    assert.equal(outcome(await change({ clusterIP: '10.96.0.79' })), '422 Invalid');
  });

  test('a change of type drops what only the old type had', async () => {
    const { create, change } = await place();
    const created = await create({
      type: 'LoadBalancer',
      loadBalancerClass: 'purelb.io/purelb',
      externalTrafficPolicy: 'Local',
    });
    const address = at(created.body, 'spec.clusterIP');
    const { body } = await change({ type: 'ClusterIP' });
    assert.equal(at(body, 'spec.clusterIP'), address);
    for (const field of [
      'loadBalancerClass',
      'allocateLoadBalancerNodePorts',
      'externalTrafficPolicy',
      'healthCheckNodePort',
    ]) {
      assert.equal(at(body, `spec.${field}`), undefined, field);
    }
    assert.equal(at(body, 'spec.ports.0.nodePort'), undefined);
    const external = await change({ type: 'ExternalName', externalName: 'a.example.com' });
    assert.equal(at(external.body, 'spec.clusterIP'), undefined);
    assert.equal(at(external.body, 'spec.ipFamilies'), undefined);
    const back = await change({ type: 'ClusterIP', externalName: null });
    assert.match(String(at(back.body, 'spec.clusterIP')), /^10\.96\./);
  });

  test('node ports stay with the name of their port', async () => {
    const { create, change } = await place();
    const ports = [{ name: 'old', port: 80 }];
    const created = await create({ type: 'LoadBalancer', ports });
    const nodePort = at(created.body, 'spec.ports.0.nodePort');
    const more = await change({
      ports: [
        { name: 'new', port: 80 },
        { name: 'old', port: 81 },
      ],
    });
    assert.equal(at(more.body, 'spec.ports.1.nodePort'), nodePort);
    const none = await change({ allocateLoadBalancerNodePorts: false });
    assert.equal(at(none.body, 'spec.ports.1.nodePort'), nodePort);
  });

  test('a class is fixed as long as the type is', async () => {
    const { create, change } = await place();
    await create({ type: 'LoadBalancer', loadBalancerClass: 'purelb.io/purelb' });
    assert.deepEqual(causes(await change({ loadBalancerClass: 'example.com/other' })), [
      'spec.loadBalancerClass: Invalid value: "example.com/other": may not change once set',
    ]);
    assert.deepEqual(causes(await create({ loadBalancerClass: 'purelb.io/purelb' }, 'b')), [
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ]);
  });

  test('the status takes metadata and leaves the spec', async () => {
    const { services, create } = await place();
    await create({ type: 'LoadBalancer' });
    const { body } = await world.admin.patch(`${services}/a/status`, {
      metadata: {
        annotations: { 'purelb.io/allocated-by': 'PureLB' },
        finalizers: ['service.kubernetes.io/load-balancer-cleanup'],
      },
      spec: { externalTrafficPolicy: 'Local' },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    });
    assert.deepEqual(at(body, 'status.loadBalancer.ingress'), [{ ip: '192.0.2.1', ipMode: 'VIP' }]);
    assert.deepEqual(at(body, 'metadata.annotations'), { 'purelb.io/allocated-by': 'PureLB' });
    assert.equal(at(body, 'spec.externalTrafficPolicy'), 'Cluster');
    const main = await world.admin.patch(`${services}/a`, { status: { loadBalancer: {} } });
    assert.equal(at(main.body, 'status.loadBalancer.ingress.0.ip'), '192.0.2.1');
    await world.admin.patch(`${services}/a`, { metadata: { finalizers: null } });
  });

  test('only a load balancer has ingress addresses, and good ones', async () => {
    const { services, create } = await place();
    await create();
    await create({ type: 'LoadBalancer' }, 'b');
    const ingress = (name: string, entry: JsonObject) =>
      world.admin.patch(`${services}/${name}/status`, {
        status: { loadBalancer: { ingress: [entry] } },
      });
    assert.deepEqual(causes(await ingress('a', { ip: '192.0.2.1' })), [
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
    assert.equal(outcome(await ingress('b', { ip: 'nonsense' })), '422 Invalid');
    assert.equal(outcome(await ingress('b', { hostname: 'a.example.com' })), '200');
    assert.equal(outcome(await ingress('b', { ip: '2001:db8::1', ipMode: 'Proxy' })), '200');
  });

  test('who is no load balancer any more has no ingress, but keeps conditions', async () => {
    const { services, create, change } = await place();
    await create({ type: 'LoadBalancer' });
    const condition = {
      type: 'Allocated',
      status: 'True',
      reason: 'Given',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    await world.admin.patch(`${services}/a/status`, {
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] }, conditions: [condition] },
    });
    const { body } = await change({ type: 'ClusterIP' });
    assert.deepEqual(at(body, 'status'), { loadBalancer: {}, conditions: [condition] });
  });

  test('ports must be sound', async () => {
    const { create } = await place();
    const wrong = async (...ports: readonly JsonObject[]) =>
      causes(await create({ ports: [...ports] }));
    assert.deepEqual(await wrong(), ['spec.ports: Required value']);
    assert.deepEqual(await wrong({ port: 0 }), [
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ]);
    assert.deepEqual(await wrong({ port: 80 }, { port: 81 }), [
      'spec.ports[0].name: Required value',
      'spec.ports[1].name: Required value',
    ]);
    assert.deepEqual(await wrong({ port: 80, name: 'a' }, { port: 81, name: 'a' }), [
      'spec.ports[1].name: Duplicate value: "a"',
    ]);
    assert.deepEqual(await wrong({ port: 80, protocol: 'IP' }), [
      'spec.ports[0].protocol: Unsupported value: "IP": supported values: "SCTP", "TCP", "UDP"',
    ]);
    assert.equal((await wrong({ port: 80, name: 'a' }, { port: 80, name: 'b' })).length, 1);
  });
}
