import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { mergePatch } from '../../src/kube/patch.ts';
import { pods, services } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { askEcho, askWeb } from '../cluster/ask.ts';
import { givenAddresses, patience, readyPods, webAnswer } from '../cluster/cluster.fixture.ts';
import type { LabCluster } from '../cluster/lab-cluster.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import { echoPort, loadBalancer, webDeployment } from '../cluster/workload.ts';
import { missingBinaries } from '../control-plane/binaries.ts';
import { eventually } from '../eventually.ts';
import { missing } from '../missing.ts';
import { startUdpClient } from '../traffic/udp-client.ts';

const tools = missing('ip', 'nft', 'setpriv', 'unshare', 'nsenter');

async function clusterIps({ cluster }: LabCluster, name: string): Promise<readonly string[]> {
  const { spec } = await cluster.get(services, { namespace: 'default', name });
  return (spec as { clusterIPs: readonly string[] }).clusterIPs;
}

/** Any of them, but no longer the one before. */
async function moved(client: { readonly progress: { readonly responder?: string } }, from: string) {
  return eventually(() => {
    const { responder } = client.progress;
    assert.ok(responder !== undefined && responder !== from, `${responder} answers`);
    return responder;
  }, patience);
}

/** The same is asked of kube-proxy and of what stands in for it. */
for (const forwarding of ['own', 'kube-proxy'] as const) {
  const skip = tools || (forwarding === 'kube-proxy' && missingBinaries('kube-proxy'));

  describe(`forwarding by ${forwarding}`, { skip }, () => {
    let cluster: LabCluster;

    before(async () => {
      cluster = await startCluster({ nodes: [2], forwarding, allocators: 1 });
      await cluster.create(webDeployment({ name: 'web', replicas: 2 }));
      await cluster.create(loadBalancer({ name: 'web', group: 'remote' }));
      const kept = { name: 'kept', app: 'web', group: 'remote', policy: 'Local' } as const;
      await cluster.create(loadBalancer(kept));
      await cluster.create(loadBalancer({ name: 'nobody', group: 'remote' }));
      await readyPods(cluster, 'web', 2);
    });

    after(async () => {
      await cluster?.stop();
    });

    test('a client reaches every backend, over TCP and UDP, in both families', async () => {
      for (const ip of await givenAddresses(cluster, 'web')) {
        const web = new Set<string>();
        const echo = new Set<string>();
        await eventually(async () => {
          web.add((await webAnswer(cluster.client.entry, ip)).pod);
          echo.add(await askEcho(cluster.client.entry, ip));
          const both = [...echo].filter((name) => web.has(name));
          assert.equal(both.length, 2, `${ip}: ${[...web].join()} and ${[...echo].join()}`);
        }, patience);
      }
    });

    test('a pod reaches every Service by its cluster address, itself included', async () => {
      const [pod] = await readyPods(cluster, 'web', 2);
      const name = pod?.metadata.name ?? '';
      const entry = await cluster.podEntry('default', name);
      assert.ok(entry !== undefined);
      for (const ip of await clusterIps(cluster, 'web')) {
        await eventually(async () => {
          assert.equal((await webAnswer(entry, ip)).pod, name);
        }, patience);
      }
    });

    test('with policy Local the client is seen, with Cluster a node', async () => {
      const { client } = cluster;
      for (const [name, isKept] of [
        ['kept', true],
        ['web', false],
      ] as const) {
        const addresses = await givenAddresses(cluster, name);
        const seen = await Promise.all(addresses.map((ip) => webAnswer(client.entry, ip)));
        const own = [client.ipv4, client.ipv6];
        const hits = seen.map((answer, index) => answer.client === own[index]);
        assert.deepEqual(hits, [isKept, isKept], name);
      }
    });

    test('a Service without endpoints refuses at once', async () => {
      for (const ip of await givenAddresses(cluster, 'nobody')) {
        await eventually(async () => {
          assert.equal(await askWeb(cluster.client.entry, ip), 'ECONNREFUSED');
          assert.equal(await askEcho(cluster.client.entry, ip), 'ECONNREFUSED');
        }, patience);
      }
    });

    test('a UDP client that goes on sending is moved when its backend goes', async () => {
      const [ip = ''] = await givenAddresses(cluster, 'web');
      const options = { to: ipOf(ip), port: echoPort, perSecond: 100 };
      await using client = await startUdpClient(cluster.client, options);
      const first = await moved(client, '');
      await cluster.cluster.delete(pods, { namespace: 'default', name: first });
      await moved(client, first);
    });

    test('a UDP client that came before the endpoints is answered once they are there', async () => {
      const [ip = ''] = await givenAddresses(cluster, 'nobody');
      const options = { to: ipOf(ip), port: echoPort, perSecond: 50 };
      await using client = await startUdpClient(cluster.client, options);
      await eventually(() => assert.ok(client.progress.sent > 20), patience);
      const patch = mergePatch({ spec: { selector: { app: 'web' } } });
      await cluster.cluster.patch(services, { namespace: 'default', name: 'nobody' }, patch);
      await moved(client, '');
    });
  });
}
