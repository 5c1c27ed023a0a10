import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { leases, nodes, pods } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { missingBinaries } from '../control-plane/binaries.ts';
import { eventually } from '../eventually.ts';
import { isReady, type NodeCondition } from '../kubelet/node-object.ts';
import { missing } from '../missing.ts';
import { monotonicMs } from '../monotonic.ts';
import { namespaces } from '../network/demolish.ts';
import { startUdpClient } from '../traffic/udp-client.ts';
import { allPods, givenAddresses, patience, readyPods, webAnswer } from './cluster.fixture.ts';
import { installNamespace } from './installed-objects.ts';
import type { LabCluster } from './lab-cluster.ts';
import { startCluster } from './start-cluster.ts';
import { echoPort, loadBalancer, webDeployment } from './workload.ts';

const skip = missing('ip', 'nft', 'setpriv', 'unshare', 'nsenter');

/** Whether the API says that a node is ready. */
async function readiness(cluster: LabCluster, name: string): Promise<boolean> {
  const { status } = await cluster.cluster.get(nodes, { name });
  return isReady((status as { conditions?: readonly NodeCondition[] }).conditions ?? []);
}

const holderOf = (cluster: LabCluster, ip: string) =>
  cluster.addresses.filter((each) => each.ip === ip).map(({ node }) => node);

const programs = missingBinaries('etcd', 'kube-apiserver', 'kube-controller-manager');

test('with a real API server a Deployment is answered just the same', {
  skip: skip || programs,
}, async () => {
  await using cluster = await startCluster({ nodes: [2], isReal: true, allocators: 1 });
  await cluster.create(webDeployment({ name: 'web', replicas: 2 }));
  await cluster.create(loadBalancer({ name: 'web' }));
  for (const ip of await givenAddresses(cluster, 'web')) {
    const { pod } = await webAnswer(cluster.client.entry, ip);
    assert.match(pod, /^web-/);
  }
});

describe('a cluster on one machine', { skip }, () => {
  const earlier = namespaces();
  let cluster: LabCluster;
  let startedAt = 0;

  before(async () => {
    startedAt = monotonicMs();
    cluster = await startCluster({ forwarding: 'own' });
    await cluster.create(webDeployment({ name: 'web', replicas: 5 }));
    await cluster.create(loadBalancer({ name: 'web' }));
    await cluster.create(loadBalancer({ name: 'second', app: 'web', group: 'lan2' }));
    const far = { name: 'far', app: 'web', group: 'remote', policy: 'Local' } as const;
    await cluster.create(loadBalancer(far));
  });

  after(async () => {
    await cluster?.stop();
    assert.deepEqual(namespaces(), earlier);
  });

  test('within a minute of the start a client is answered', async (t) => {
    const [ip = ''] = await givenAddresses(cluster, 'web');
    await webAnswer(cluster.client.entry, ip);
    const tookMs = Math.round(monotonicMs() - startedAt);
    t.diagnostic(`first answer ${tookMs} ms after the start`);
    assert.ok(tookMs < 60_000);
  });

  test('its pods are spread over all nodes and become ready', async () => {
    const ready = await readyPods(cluster, 'web', 5);
    const on = ready.map(({ spec }) => (spec as { nodeName: string }).nodeName).sort();
    assert.deepEqual(on, ['node1', 'node2', 'node3', 'node4', 'node5']);
  });

  for (const [name, kind] of [
    ['web', 'on the first LAN'],
    ['second', 'on the second LAN'],
    ['far', 'that is routed to all nodes, with policy Local,'],
  ] as const) {
    test(`a Service ${kind} answers a client beyond the router in both families`, async () => {
      for (const ip of await givenAddresses(cluster, name)) {
        const { pod } = await webAnswer(cluster.client.entry, ip);
        assert.match(pod, /^web-/);
      }
    });
  }

  test('with policy Local a pod sees the address of the client itself', async () => {
    const seen = [];
    for (const ip of await givenAddresses(cluster, 'far'))
      seen.push((await webAnswer(cluster.client.entry, ip)).client);
    assert.deepEqual(seen, [cluster.client.ipv4, cluster.client.ipv6]);
  });

  test('a pod reaches load balancer addresses, whatever their kind', async () => {
    const [pod] = await readyPods(cluster, 'web', 5);
    const entry = await cluster.podEntry('default', pod?.metadata.name ?? '');
    assert.ok(entry !== undefined);
    for (const name of ['web', 'second', 'far']) {
      for (const ip of await givenAddresses(cluster, name)) await webAnswer(entry, ip);
    }
  });

  test('while the API server is away everything is answered, and no node is given up afterwards', async () => {
    const [ip = ''] = await givenAddresses(cluster, 'web');
    await using client = await startUdpClient(cluster.client, {
      to: ipOf(ip),
      port: echoPort,
      perSecond: 100,
    });
    cluster.takeApiAway();
    assert.equal(cluster.isApiAway, true);
    await eventually(() => assert.ok(client.progress.sent > 300), patience);
    await webAnswer(cluster.client.entry, ip);
    cluster.giveApiBack();
    await eventually(async () => {
      for (const { name } of cluster.nodes) assert.equal(await readiness(cluster, name), true);
    }, patience);
    await readyPods(cluster, 'web', 5);
    const { received, sent } = await client.stop();
    assert.ok(received > sent / 2, `${received} of ${sent} were answered`);
  });

  test('a node that is switched off is given up, its address answers elsewhere, and it comes back', async () => {
    const [ip = ''] = await givenAddresses(cluster, 'web');
    const [holder = ''] = await eventually(() => {
      const found = holderOf(cluster, ip);
      assert.equal(found.length, 1);
      return found;
    }, patience);
    await cluster.machines.powerOff(holder);
    assert.equal(cluster.nodes.find(({ name }) => name === holder)?.power, 'off');
    for (const name of ['web', 'far'])
      for (const each of await givenAddresses(cluster, name))
        await webAnswer(cluster.client.entry, each);
    await eventually(() => {
      const [next] = holderOf(cluster, ip);
      assert.ok(next !== undefined && next !== holder);
    }, patience);
    await eventually(async () => assert.equal(await readiness(cluster, holder), false), patience);
    // Its pod is replaced by one on another node, and goes for good once there is a kubelet to end it.
    await readyPods(cluster, 'web', 5);
    await cluster.machines.powerOn(holder);
    await eventually(async () => {
      assert.equal(await readiness(cluster, holder), true);
      assert.equal((await allPods(cluster)).length, 5);
    }, patience);
  });

  test('agents stop and start, one by one and all together, and the address stays answered', async () => {
    const [ip = ''] = await givenAddresses(cluster, 'web');
    const agentOf = (node: string) => cluster.nodes.find(({ name }) => name === node)?.agent;
    cluster.machines.freezeAgent('node1');
    assert.equal(agentOf('node1'), 'frozen');
    cluster.machines.continueAgent('node1');
    await cluster.machines.killAgent('node2');
    assert.equal(agentOf('node2'), 'stopped');
    await cluster.machines.restartAllAgents();
    assert.deepEqual(new Set(cluster.nodes.map(({ agent }) => agent)), new Set(['running']));
    await webAnswer(cluster.client.entry, ip);
  });

  test('all agents have the same key, by which they know each other', async () => {
    const keys = new Map<string, string | undefined>();
    for await (const { items } of cluster.cluster.list(leases, { namespace: installNamespace }))
      for (const { metadata } of items)
        if (metadata.name.startsWith('purelb-node-'))
          keys.set(metadata.name, metadata.annotations?.['purelb.io/peer-keys']);
    assert.equal(keys.size, cluster.nodes.length);
    const [key = ''] = new Set(keys.values());
    assert.match(key, /./);
    assert.deepEqual(new Set(keys.values()), new Set([key]));
  });

  test('a node that is cut off keeps its state and is heard again when mended', async () => {
    await cluster.machines.cutLink('node5', 'cut');
    await eventually(async () => assert.equal(await readiness(cluster, 'node5'), false), patience);
    const [, ipv6 = ''] = await givenAddresses(cluster, 'far');
    await webAnswer(cluster.client.entry, ipv6);
    await cluster.machines.mendLink('node5');
    await eventually(async () => assert.equal(await readiness(cluster, 'node5'), true), patience);
  });

  test('a drained node has no pods, and an open one gets some again', async () => {
    await cluster.drain('node3');
    const countOn = async (node: string) => {
      let count = 0;
      for await (const { items } of cluster.cluster.list(pods, {
        fieldSelector: `spec.nodeName=${node}`,
      }))
        count += items.length;
      return count;
    };
    await eventually(async () => assert.equal(await countOn('node3'), 0), patience);
    await readyPods(cluster, 'web', 5);
    await cluster.uncordon('node3');
    await cluster.create(webDeployment({ name: 'more', replicas: 1 }));
    const [more] = await readyPods(cluster, 'more', 1);
    assert.deepEqual(more?.spec, { ...(more?.spec ?? {}), nodeName: 'node3' });
  });
});
