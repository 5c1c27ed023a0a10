import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { type Ip, ipOf } from '../model/ip.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { type LeasePromise, Membership } from './membership.ts';

const promised: LeasePromise = {
  subnets: '192.0.2.0/24',
  links: '{}',
  failing: '',
  unmarked: '',
  handing: '',
  peerKeys: '0a0b0c0d',
  conflicts: '',
  nodeUid: 'n1',
};

/** A server that takes everything, unless it is away. */
function build() {
  const clock = new ManualClock();
  const writes: string[] = [];
  const heard: string[] = [];
  const held = { lifetimes: [] as [Ip, number][] };
  const server = { isAway: false, lease: undefined as KubeObject | undefined };
  const write = (verb: string) => async (_resource: unknown, object: KubeObject) => {
    writes.push(
      `${clock.monotonic()} ${verb} ${object.metadata.annotations?.['purelb.io/subnets']}`,
    );
    if (server.isAway) throw refusal(verb, 503, {});
    server.lease = object;
    return object;
  };
  const cluster = {
    create: write('create'),
    replace: write('replace'),
    delete: async (_resource: unknown, { name }: { name: string }) => {
      writes.push(`${clock.monotonic()} delete ${name}`);
      if (server.isAway) throw refusal('delete', 503, {});
      server.lease = undefined;
    },
  } as unknown as Cluster;
  const membership = new Membership({
    cluster,
    clock,
    namespace: 'purelb-system',
    node: 'node1',
    instance: 'first',
    durationMs: 10_000,
    lifetimes: () => new Map(held.lifetimes),
    onRenewed: () => {},
    onFailed: (_error, failures) => heard.push(`failed ${failures}`),
    onRecovered: () => heard.push('reached again'),
    onHealth: (isHealthy) => heard.push(`${clock.monotonic()} ${isHealthy ? 'well' : 'ended'}`),
  });
  const stopping = new AbortController();
  const running = membership.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  return { clock, writes, heard, held, server, membership, stop };
}

test('nothing is written before there is something to promise', async () => {
  const { clock, writes, membership, stop } = build();
  await clock.advance(20_000);
  assert.deepEqual([writes, membership.isHealthy], [[], false]);
  await stop();
});

test('the Lease says who and where the node is, and goes with its Node', async () => {
  const { clock, server, membership, stop } = build();
  membership.promise(promised);
  await clock.advance(0);
  const { metadata, spec } = server.lease ?? { metadata: { name: '' } };
  assert.deepEqual(metadata, {
    name: 'purelb-node-node1',
    namespace: 'purelb-system',
    labels: {
      'app.kubernetes.io/component': 'lbnodeagent',
      'app.kubernetes.io/name': 'purelb',
    },
    annotations: {
      'purelb.io/subnets': '192.0.2.0/24',
      'purelb.io/instance': 'first',
      'purelb.io/links': '{}',
      'purelb.io/failing': '',
      'purelb.io/unmarked': '',
      'purelb.io/handing': '',
      'purelb.io/peer-keys': '0a0b0c0d',
      'purelb.io/conflicts': '',
      'purelb.io/lifetimes': '',
    },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'n1' }],
  });
  const { renewTime: _, ...rest } = spec as Record<string, unknown>;
  assert.deepEqual(rest, { holderIdentity: 'node1', leaseDurationSeconds: 10 });
  await stop();
});

test('it is renewed in time, at once when something changes, and made anew when it is gone', async () => {
  const { clock, writes, membership, stop } = build();
  membership.promise(promised);
  await clock.advance(5_500);
  membership.promise({ ...promised });
  await clock.advance(500);
  membership.promise({ ...promised, subnets: '' });
  await clock.advance(500);
  membership.noteGone();
  await clock.advance(500);
  assert.deepEqual(writes, [
    '0 create 192.0.2.0/24',
    '5000 replace 192.0.2.0/24',
    '6000 replace ',
    '6500 create ',
  ]);
  await stop();
});

test('while the server is away it tries each second, and is unhealthy once its time is over', async () => {
  const { clock, writes, server, membership, stop } = build();
  membership.promise(promised);
  await clock.advance(4_000);
  server.isAway = true;
  await clock.advance(5_500);
  assert.deepEqual([writes.length, membership.isHealthy], [6, true]);
  await clock.advance(1_000);
  assert.deepEqual([membership.isHealthy, membership.isFailing], [false, true]);
  server.isAway = false;
  await clock.advance(1_000);
  assert.deepEqual([membership.isHealthy, membership.isFailing], [true, false]);
  await stop();
});

test('the Lease is deleted when PureLB is taken from the node, and a failure of that is no matter', async () => {
  for (const isAway of [false, true]) {
    const { clock, writes, server, membership, stop } = build();
    membership.promise(promised);
    await clock.advance(0);
    await stop();
    server.isAway = isAway;
    await membership.leave();
    assert.equal(writes.at(-1), '0 delete purelb-node-node1');
    assert.equal(server.lease === undefined, !isAway);
  }
});

test('an API server that is away is told of once, and when the Lease has ended, and when it is back', async () => {
  const { clock, heard, server, membership, stop } = build();
  membership.promise(promised);
  await clock.advance(0);
  server.isAway = true;
  await clock.advance(15_000);
  server.isAway = false;
  await clock.advance(2_000);
  const states = heard.filter((text) => !text.startsWith('failed'));
  assert.deepEqual(states, ['0 well', '10000 ended', 'reached again', '16000 well']);
  assert.equal(heard[1], 'failed 1');
  assert.deepEqual([membership.isHealthy, membership.isFailing], [true, false]);
  await stop();
});

test('each renewal says for how long the kernel keeps what it has, and costs no further write', async () => {
  const { clock, writes, held, server, membership, stop } = build();
  held.lifetimes = [[ipOf('192.0.2.100'), 149.5]];
  membership.promise(promised);
  await clock.advance(0);
  const said = () => server.lease?.metadata.annotations?.['purelb.io/lifetimes'];
  assert.equal(said(), '149.5');
  held.lifetimes = [[ipOf('192.0.2.100'), 144.5]];
  membership.promise({ ...promised });
  await clock.advance(5_000);
  assert.deepEqual([said(), writes.length], ['144.5', 2]);
  await stop();
});

test('lifetimes that grew are told at once, and at most once in two seconds', async () => {
  const { clock, writes, held, server, membership, stop } = build();
  membership.promise(promised);
  await clock.advance(2_000);
  held.lifetimes = [[ipOf('192.0.2.100'), 300]];
  membership.renewSoon();
  membership.renewSoon();
  await clock.advance(10);
  assert.equal(server.lease?.metadata.annotations?.['purelb.io/lifetimes'], '300');
  membership.renewSoon();
  await clock.advance(1_900);
  assert.equal(writes.length, 2);
  await clock.advance(100);
  assert.equal(writes.length, 3);
  await stop();
});

test('who cannot renew knows when others may have taken over', async () => {
  const { clock, held, server, membership, stop } = build();
  held.lifetimes = [[ipOf('192.0.2.100'), 60]];
  membership.promise(promised);
  await clock.advance(0);
  server.isAway = true;
  await clock.advance(58_000);
  assert.deepEqual([membership.isHealthy, membership.isLapsed], [false, false]);
  await clock.advance(1_700);
  assert.equal(membership.isLapsed, true);
  server.isAway = false;
  await clock.advance(2_000);
  assert.equal(membership.isLapsed, false);
  await stop();
});

test('who stops says once more how long what it leaves behind will last', async () => {
  const { clock, held, server, membership, stop } = build();
  membership.promise(promised);
  await clock.advance(0);
  await stop();
  held.lifetimes = [[ipOf('192.0.2.100'), 120]];
  await membership.farewell();
  assert.equal(server.lease?.metadata.annotations?.['purelb.io/lifetimes'], '120');
});
