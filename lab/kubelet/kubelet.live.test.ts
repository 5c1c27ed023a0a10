import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isNotFound } from '../../src/kube/api-error.ts';
import { events, pods } from '../../src/kube/resources.ts';
import { type PodStatus, patience } from '../cluster/cluster.fixture.ts';
import type { LabCluster } from '../cluster/lab-cluster.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import { eventually } from '../eventually.ts';
import { missing } from '../missing.ts';
import { monotonicMs } from '../monotonic.ts';
import { attempt } from '../process/run.ts';

const skip = missing('ip', 'nft', 'setpriv', 'unshare', 'nsenter');

interface Wish {
  readonly image: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly restartPolicy?: string;
  readonly grace?: number;
  readonly probe?: object;
}

const probe = { httpGet: { port: 8080, path: '/healthz' }, periodSeconds: 1, failureThreshold: 1 };

describe('the kubelet of the lab', { skip }, () => {
  let cluster: LabCluster;

  before(async () => {
    cluster = await startCluster({ nodes: [1], forwarding: 'own', allocators: 0 });
  });

  after(async () => {
    await cluster?.stop();
  });

  async function run(name: string, wish: Wish): Promise<void> {
    const { image, env = {}, restartPolicy = 'Always', grace = 5 } = wish;
    const container = {
      name: 'main',
      image,
      env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
      ...(wish.probe === undefined ? {} : { readinessProbe: wish.probe }),
    };
    const spec = { restartPolicy, terminationGracePeriodSeconds: grace, containers: [container] };
    const metadata = { name, namespace: 'default' };
    await cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  }

  async function status(name: string): Promise<PodStatus> {
    const pod = await cluster.cluster.get(pods, { namespace: 'default', name });
    return (pod.status ?? {}) as PodStatus;
  }

  const isReady = ({ conditions = [] }: PodStatus) =>
    conditions.find(({ type }) => type === 'Ready')?.status;

  async function eventuallyStatus(name: string, check: (now: PodStatus) => void): Promise<void> {
    await eventually(async () => check(await status(name)), patience);
  }

  const logOf = (name: string, query = '') =>
    cluster.cluster.getText(`/api/v1/namespaces/default/pods/${name}/log${query}`);

  async function eventsOf(name: string): Promise<ReadonlySet<string>> {
    const told = new Set<string>();
    for await (const { items } of cluster.cluster.list(events)) {
      const own = items.filter(({ regarding }) => regarding.name === name);
      for (const { reason } of own) told.add(reason);
    }
    return told;
  }

  async function isGone(name: string): Promise<void> {
    await eventually(
      () =>
        assert.rejects(
          () => status(name),
          (error) => isNotFound(error),
        ),
      patience,
    );
  }

  test('an image that is not to be had is told, and nothing runs', async () => {
    await run('foreign', { image: 'nginx:1.29' });
    await eventuallyStatus('foreign', ({ phase, containerStatuses = [] }) => {
      const waiting = containerStatuses[0]?.state.waiting;
      assert.deepEqual([phase, waiting?.reason], ['Pending', 'ErrImagePull']);
      assert.match(waiting?.message ?? '', /no image "nginx:1\.29".*lab\/web/);
    });
    await cluster.cluster.delete(pods, { namespace: 'default', name: 'foreign' });
    await isGone('foreign');
  });

  test('a container that crashes is started again, ever more slowly, and its last words are kept', async () => {
    await run('crash', { image: 'lab/crash' });
    await eventuallyStatus('crash', ({ phase, containerStatuses = [] }) => {
      const [{ state, restartCount } = { state: {}, restartCount: 0 }] = containerStatuses;
      assert.equal(phase, 'Running');
      assert.equal(state.waiting?.reason, 'CrashLoopBackOff');
      assert.ok(restartCount >= 2, `${restartCount} restarts`);
    });
    assert.equal(await logOf('crash', '?previous=true'), 'about to crash\n');
    await eventually(async () => {
      const told = await eventsOf('crash');
      assert.ok(told.has('Started') && told.has('BackOff'), [...told].join());
    }, patience);
  });

  test('a pod that is not to be started again fails', async () => {
    await run('once', { image: 'lab/crash', restartPolicy: 'Never' });
    await eventuallyStatus('once', ({ phase, containerStatuses = [] }) => {
      const [first] = containerStatuses;
      assert.deepEqual([phase, first?.state.terminated?.exitCode], ['Failed', 1]);
    });
  });

  test('a pod is ready when its probe says so, and only as long as it does', async () => {
    await run('late', { image: 'lab/web', env: { READY_AFTER_MS: '1500' }, probe });
    await eventuallyStatus('late', (now) => assert.equal(now.phase, 'Running'));
    assert.equal(isReady(await status('late')), 'False');
    await eventuallyStatus('late', (now) => assert.equal(isReady(now), 'True'));
    const entry = (await cluster.podEntry('default', 'late')) ?? [];
    const tell = `await fetch('http://127.0.0.1:8080/unready')`;
    await attempt([...entry, process.execPath, '--input-type=module', '--eval', tell]);
    await eventuallyStatus('late', (now) => assert.equal(isReady(now), 'False'));
  });

  test('a pod has an address of each family, reached from its node and from afar', async () => {
    const { podIPs = [] } = await status('late');
    const ips = podIPs.map(({ ip }) => ip);
    assert.deepEqual(
      ips.map((ip) => ip.replace(/\d+$/, '')),
      ['198.19.1.', '2001:db8:f001::'],
    );
    for (const host of [cluster.lab.node(1), cluster.client])
      for (const ip of ips) await host.run(['ping', '-c', '1', '-w', '5', ip]);
  });

  test('a pod that is deleted may say goodbye, and its log is followed to the end', async () => {
    await run('polite', { image: 'lab/web' });
    await eventually(
      async () => assert.match(await logOf('polite'), /listening on 8080/),
      patience,
    );
    const followed = logOf('polite', '?follow=true&timestamps=true');
    await cluster.cluster.delete(pods, { namespace: 'default', name: 'polite' });
    assert.match(await followed, /Z listening on 8080\n(.*\n)*.*Z stopping\n$/);
    await isGone('polite');
  });

  test('one that does not end is killed after its grace', async () => {
    await run('stubborn', { image: 'lab/web', env: { IGNORE_SIGTERM: '1' }, grace: 2 });
    await eventually(async () => assert.match(await logOf('stubborn'), /listening/), patience);
    const entry = (await cluster.podEntry('default', 'stubborn')) ?? [];
    const since = monotonicMs();
    await cluster.cluster.delete(pods, { namespace: 'default', name: 'stubborn' });
    await isGone('stubborn');
    assert.ok(monotonicMs() - since >= 2000);
    assert.notEqual((await attempt([...entry, 'true'])).status, 0);
  });

  test('pods of a node that was switched off and on run again', async () => {
    const entry = (await cluster.podEntry('default', 'late')) ?? [];
    assert.equal((await attempt([...entry, 'true'])).status, 0);
    await cluster.machines.powerOff('node1');
    await eventually(async () => {
      assert.notEqual((await attempt([...entry, 'true'])).status, 0);
    }, patience);
    await cluster.machines.powerOn('node1');
    await eventuallyStatus('late', ({ phase, containerStatuses = [] }) => {
      assert.deepEqual([phase, containerStatuses[0]?.restartCount], ['Running', 1]);
      assert.equal(containerStatuses[0]?.ready, true);
    });
  });
});
