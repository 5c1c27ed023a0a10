import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { events, leases, nodes, pods } from '../../src/kube/resources.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { startApi } from '../api/start-api.ts';
import { eventually } from '../eventually.ts';
import { Heartbeat } from './heartbeat.ts';
import { Kubelet } from './kubelet.ts';

const facts = {
  name: 'node1',
  ips: ['192.0.2.11', '2001:db8:1::11'],
  podCidrs: ['198.19.1.0/24', '2001:db8:f001::/64'],
  labels: {},
};
const patience = { withinMs: 20_000 };

async function open() {
  const api = await startApi();
  const clock = new SystemClock();
  const config = { server: api.url, token: { text: api.adminToken } };
  const { cluster, close } = connectCluster(config, clock);
  const ending = new AbortController();
  const stop = async () => {
    ending.abort();
    close();
    await api.stop();
  };
  const { signal } = ending;
  const rest = { clock, random: Math.random, onError: () => {}, signal };
  return { cluster, ...rest, [Symbol.asyncDispose]: stop };
}

interface Conditions {
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

function ready(status: unknown, type = 'Ready'): string | undefined {
  const { conditions } = (status ?? { conditions: [] }) as Conditions;
  return conditions?.find((each) => each.type === type)?.status;
}

test('a heartbeat registers the node, renews its Lease, and says that it is ready where others doubt it', async () => {
  await using world = await open();
  const { cluster } = world;
  const heartbeat = new Heartbeat({ ...world, facts, everyMs: 1500 });
  await heartbeat.beat();
  const node = await cluster.get(nodes, { name: 'node1' });
  assert.equal(ready(node.status), 'True');
  const lease = await cluster.get(leases, { namespace: 'kube-node-lease', name: 'node1' });
  assert.deepEqual([lease.spec?.holderIdentity, lease.spec?.leaseDurationSeconds], ['node1', 6]);
  const doubt = mergePatch({ status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
  await cluster.patch(nodes, { name: 'node1' }, doubt, { subresource: 'status' });
  await heartbeat.beat();
  assert.equal(ready((await cluster.get(nodes, { name: 'node1' })).status), 'True');
  const renewed = await cluster.get(leases, { namespace: 'kube-node-lease', name: 'node1' });
  assert.notEqual(renewed.spec?.renewTime, lease.spec?.renewTime);
});

test('a kubelet tells what is wrong with a pod, and insists on what it knows', async () => {
  await using world = await open();
  const { cluster } = world;
  void new Kubelet({ ...world, facts }).run(world.signal);
  const ref = { namespace: 'default', name: 'web' };
  // Neither a network nor a process is made for it.
  const containers = [{ name: 'main', image: 'nginx' }];
  const spec = { nodeName: 'node1', hostNetwork: true, containers };
  await cluster.create(pods, { metadata: ref, spec });
  const containersReady = async () =>
    ready((await cluster.get(pods, ref)).status, 'ContainersReady');
  await eventually(async () => assert.equal(await containersReady(), 'False'), patience);
  await eventually(async () => {
    const told: string[] = [];
    for await (const { items } of cluster.list(events))
      told.push(
        ...items.map(({ type, reason, regarding }) => `${type} ${reason} ${regarding.name}`),
      );
    assert.deepEqual(told, ['Warning Failed web']);
  }, patience);
  for (let times = 0; times < 3; times += 1) {
    const opinion = { status: { conditions: [{ type: 'ContainersReady', status: 'True' }] } };
    await cluster.patch(pods, ref, mergePatch(opinion), { subresource: 'status' });
  }
  await eventually(async () => assert.equal(await containersReady(), 'False'), patience);
});
