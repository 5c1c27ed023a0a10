import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { World } from './contract-world.ts';
import { textOf, write } from './table-text.ts';

const container = { name: 'main', image: 'web:1' };
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [container, { name: 'side', image: 'side:2' }] },
};
const selector = { matchLabels: { app: 'web' } };

/** Objects as tables show them. */
export function tablesContract(world: World): void {
  const tableOf = async (path: string) => textOf((await world.admin.table(path)).body);

  test('Services: type, addresses, ports', async () => {
    const path = `/api/v1/namespaces/${await world.namespace()}/services`;
    const ports = [
      { name: 'a', port: 80, protocol: 'TCP' },
      { name: 'b', port: 53, protocol: 'UDP' },
    ];
    const base = { clusterIP: 'None', ports, selector: { b: 'c', a: 'b' } };
    await write(world, { path, body: { metadata: { name: 'headless' }, spec: base } });
    await write(world, {
      path,
      body: {
        metadata: { name: 'named' },
        spec: { type: 'ExternalName', externalName: 'example.com' },
      },
    });
    const balanced = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports };
    const ingress = [{ ip: '2001:db8::1' }, { ip: '192.0.2.1' }];
    await write(world, {
      path,
      body: { metadata: { name: 'shop' }, spec: { ...balanced, externalIPs: ['192.0.2.9'] } },
      status: { loadBalancer: { ingress } },
    });
    await write(world, { path, body: { metadata: { name: 'wait' }, spec: balanced } });
    const lines = (await tableOf(path)).map((line) =>
      line.replace(/(LoadBalancer) \| 10\.96\.\d+\.\d+/, '$1 | IP'),
    );
    assert.deepEqual(lines, [
      'Name:string:0 | Type:string:0 | Cluster-IP:string:0 | External-IP:string:0 | Port(s):string:0 | Age:string:0 | Selector:string:1',
      'headless | ClusterIP | None | <none> | 80/TCP,53/UDP | AGE | a=b,b=c',
      'named | ExternalName | <none> | example.com | <none> | AGE | <none>',
      'shop | LoadBalancer | IP | 192.0.2.1,2001:db8::1,192.0.2.9 | 80/TCP,53/UDP | AGE | <none>',
      'wait | LoadBalancer | IP | <pending> | 80/TCP,53/UDP | AGE | <none>',
    ]);
  });

  test('nodes: readiness, cordon, roles, addresses', async () => {
    const path = '/api/v1/nodes';
    const name = `node-${await world.namespace()}`;
    await write(world, {
      path,
      body: {
        metadata: { name, labels: { 'node-role.kubernetes.io/worker': '' } },
        spec: { unschedulable: true },
      },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '192.0.2.1' }],
        nodeInfo: {
          kubeletVersion: 'v1.36.3',
          kernelVersion: '6.1',
          architecture: 'amd64',
          osImage: 'Lab',
          ...Object.fromEntries(
            ['bootID', 'machineID', 'systemUUID', 'kubeProxyVersion', 'operatingSystem'].map(
              (field) => [field, ''],
            ),
          ),
          containerRuntimeVersion: '',
        },
      },
    });
    assert.deepEqual(await tableOf(`${path}/${name}`), [
      'Name:string:0 | Status:string:0 | Roles:string:0 | Age:string:0 | Version:string:0 | Internal-IP:string:1 | External-IP:string:1 | OS-Image:string:1 | Kernel-Version:string:1 | Container-Runtime:string:1',
      `${name} | Ready,SchedulingDisabled | worker | AGE | v1.36.3 | 192.0.2.1 | <none> | Lab | 6.1 (amd64) | <unknown>`,
    ]);
    await world.admin.delete(`${path}/${name}`);
  });

  test('workloads: replicas, containers, selectors', async () => {
    const namespace = await world.namespace();
    const apps = `/apis/apps/v1/namespaces/${namespace}`;
    const body = { metadata: { name: 'web' }, spec: { replicas: 3, selector, template } };
    const counts = { replicas: 3, readyReplicas: 2, availableReplicas: 1, updatedReplicas: 3 };
    await write(world, { path: `${apps}/deployments`, body, status: counts });
    await write(world, {
      path: `${apps}/replicasets`,
      body,
      status: { replicas: 3, readyReplicas: 2 },
    });
    const { replicas: _replicas, ...each } = body.spec;
    await write(world, {
      path: `${apps}/daemonsets`,
      body: { ...body, spec: each },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
        numberMisscheduled: 0,
      },
    });
    const columns = 'Age:string:0 | Containers:string:1 | Images:string:1 | Selector:string:1';
    const rest = 'AGE | main,side | web:1,side:2 | app=web';
    assert.deepEqual(await tableOf(`${apps}/deployments`), [
      `Name:string:0 | Ready:string:0 | Up-to-date:string:0 | Available:string:0 | ${columns}`,
      `web | 2/3 | 3 | 1 | ${rest}`,
    ]);
    assert.deepEqual(await tableOf(`${apps}/replicasets`), [
      `Name:string:0 | Desired:integer:0 | Current:integer:0 | Ready:integer:0 | ${columns}`,
      `web | 3 | 3 | 2 | ${rest}`,
    ]);
    assert.deepEqual(await tableOf(`${apps}/daemonsets`), [
      `Name:string:0 | Desired:integer:0 | Current:integer:0 | Ready:integer:0 | Up-to-date:integer:0 | Available:integer:0 | Node Selector:string:0 | ${columns}`,
      `web | 5 | 4 | 3 | 2 | 1 | <none> | ${rest}`,
    ]);
  });

  test('endpoints, leases, budgets, data', async () => {
    const namespace = await world.namespace();
    const place = (group: string) => `/apis/${group}/v1/namespaces/${namespace}`;
    const slices = `${place('discovery.k8s.io')}/endpointslices`;
    const endpoints = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].map((ip) => ({
      addresses: [ip],
    }));
    const ports = [{ name: 'a', port: 80 }, { name: 'b' }];
    const slice = { addressType: 'IPv4', endpoints, ports };
    await write(world, { path: slices, body: { metadata: { name: 'a' }, ...slice } });
    const empty = { addressType: 'IPv6', endpoints: [], ports: [] };
    await write(world, { path: slices, body: { metadata: { name: 'b' }, ...empty } });
    assert.deepEqual(await tableOf(slices), [
      'Name:string:0 | AddressType:string:0 | Ports:string:0 | Endpoints:string:0 | Age:string:0',
      'a | IPv4 | 80,b | 192.0.2.1,192.0.2.2,192.0.2.3 + 1 more... | AGE',
      'b | IPv6 | <unset> | <unset> | AGE',
    ]);
    const leases = `${place('coordination.k8s.io')}/leases`;
    const lease = { metadata: { name: 'a' }, spec: { holderIdentity: 'me' } };
    await write(world, { path: leases, body: lease });
    assert.deepEqual((await tableOf(leases)).slice(1), ['a | me | AGE']);
    const budgets = `${place('policy')}/poddisruptionbudgets`;
    const budget = { metadata: { name: 'a' }, spec: { minAvailable: '50%', selector } };
    await write(world, { path: budgets, body: budget });
    assert.deepEqual((await tableOf(budgets)).slice(1), ['a | 50% | N/A | 0 | AGE']);
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    await write(world, { path: maps, body: { metadata: { name: 'a' }, data: { a: 'b', c: 'd' } } });
    assert.deepEqual((await tableOf(maps)).slice(1), ['a | 2 | AGE']);
  });

  test('events, of the older and the newer form alike', async () => {
    const namespace = await world.namespace();
    const path = `/api/v1/namespaces/${namespace}/events`;
    const about = { kind: 'Service', namespace, name: 'shop', fieldPath: 'spec.x' };
    const time = new Date().toISOString().replace(/\.\d+/, '');
    const event = {
      metadata: { name: 'e' },
      involvedObject: about,
      reason: 'Allocated',
      message: ' an address\n',
      type: 'Normal',
      source: { component: 'allocator', host: 'n1' },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 4,
    };
    await write(world, { path, body: event });
    const row =
      'AGE | Normal | Allocated | service/shop | spec.x | allocator, n1 | an address | AGE | 4 | e';
    assert.deepEqual((await tableOf(path)).slice(1), [row]);
    const newer = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    assert.deepEqual((await tableOf(newer)).slice(1), [row]);
  });
}
