import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../runtime/manual-clock.ts';
import { HttpCluster } from './http-cluster.ts';
import { LeaseApi } from './lease-api.fixture.ts';
import type { LeaseObject } from './lease-object.ts';
import { LeaseTakenError, type LeaseWish, OwnLease } from './own-lease.ts';

const ref = { namespace: 'purelb-system', name: 'purelb-node-n1' };
const wish: LeaseWish = {
  labels: { 'app.kubernetes.io/component': 'lbnodeagent' },
  annotations: { 'purelb.io/instance': 'mine' },
  spec: { holderIdentity: 'n1', leaseDurationSeconds: 10 },
};

function start(mayReplace?: (found: LeaseObject) => boolean) {
  const clock = new ManualClock();
  const api = new LeaseApi();
  const cluster = new HttpCluster({ transport: api.connect(clock), clock });
  const lease = new OwnLease({ cluster, clock, ref, ...(mayReplace && { mayReplace }) });
  /** A call needs the clock, which lets its answers through. */
  const run = async <T>(call: Promise<T>): Promise<T> => {
    call.catch(() => {});
    await clock.settle();
    return call;
  };
  return { clock, api, lease, run };
}

test('the first write makes the Lease, each further one renews it with a single call', async () => {
  const { clock, api, lease, run } = start();
  await run(lease.write(wish));
  await clock.advance(5_000);
  await run(lease.write({ ...wish, annotations: { 'purelb.io/subnets': '192.0.2.0/24' } }));
  assert.deepEqual(api.writes, ['create n1', 'replace n1→n1']);
  assert.deepEqual(api.lease?.spec, { ...wish.spec, renewTime: '2026-01-01T00:00:05.000000Z' });
  assert.deepEqual(api.lease?.metadata.annotations, {
    'purelb.io/instance': 'mine',
    'purelb.io/subnets': '192.0.2.0/24',
  });
});

test('a Lease of our predecessor is taken over whole: holder, duration and labels too', async () => {
  const { api, lease, run } = start();
  api.set({
    metadata: { ...ref, annotations: { others: 'stay' } },
    spec: { holderIdentity: 'old', leaseDurationSeconds: 99, leaseTransitions: 3 },
  });
  await run(lease.write(wish));
  assert.deepEqual(api.lease?.spec, { ...wish.spec, renewTime: '2026-01-01T00:00:00.000000Z' });
  assert.deepEqual(api.lease?.metadata.annotations, { others: 'stay', ...wish.annotations });
  assert.deepEqual(api.lease?.metadata.labels, wish.labels);
});

test('a Lease that somebody changed or deleted meanwhile is read again and written', async () => {
  const { api, lease, run } = start();
  await run(lease.write(wish));
  assert.ok(api.lease);
  api.set(api.lease);
  await run(lease.write(wish));
  api.set(undefined);
  await run(lease.write(wish));
  assert.deepEqual(api.writes, ['create n1', 'replace n1→n1', 'create n1']);
});

test('a Lease that is another one now is left alone, neither written nor deleted', async () => {
  const isMine = ({ metadata }: LeaseObject) =>
    metadata.annotations?.['purelb.io/instance'] === 'mine';
  const { api, lease, run } = start(isMine);
  await run(lease.write(wish));
  api.set({ metadata: { ...ref, annotations: { 'purelb.io/instance': 'newer' } } });
  await assert.rejects(run(lease.write(wish)), LeaseTakenError);
  lease.note({ metadata: { ...ref, resourceVersion: '1' } });
  assert.equal(await run(lease.delete()), false);
  assert.equal(api.lease?.metadata.annotations?.['purelb.io/instance'], 'newer');
});

test('deleting finds the Lease also when it changed a moment ago, and is done when it is gone', async () => {
  const { api, lease, run } = start();
  await run(lease.write(wish));
  assert.ok(api.lease);
  api.set({ ...api.lease, metadata: { ...api.lease.metadata, annotations: { a: 'b' } } });
  assert.equal(await run(lease.delete()), true);
  assert.equal(api.lease, undefined);
  assert.equal(await run(lease.delete()), true);
  await run(lease.write(wish));
  api.set(undefined);
  assert.equal(await run(lease.delete()), true);
});

test('a call that hangs is given up in time for another one', async () => {
  const { clock, api, lease } = start();
  const { cluster } = { cluster: new HttpCluster({ transport: { exchange: hang }, clock }) };
  const hanging = new OwnLease({ cluster, clock, ref, withinMs: () => 2_000 });
  const writing = assert.rejects(hanging.write(wish), /no answer within 2 s/);
  await clock.advance(2_000);
  await writing;
  assert.deepEqual([api.writes, lease.known], [[], undefined]);
});

function hang({ signal }: { readonly signal: AbortSignal }): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
