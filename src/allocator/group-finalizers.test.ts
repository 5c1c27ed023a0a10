import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import { Store } from '../kube/store.ts';
import type { KubeObject, ObjectMeta } from '../model/kube-object.ts';
import type { Pool } from '../model/pool.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { GroupFinalizers } from './group-finalizers.ts';

const ours = 'purelb.io/release-records';
const key = 'purelb-system/default';
const identity = { namespace: 'purelb-system', name: 'default', uid: 'u' };
const pool = { name: 'default', identity } as unknown as Pool;
const metadata: ObjectMeta = { ...identity, resourceVersion: '1', finalizers: ['x/hold'] };

/** A server that takes everything, or refuses with these statuses first. */
function writing(more: Partial<ObjectMeta> = {}, ...refusals: readonly number[]) {
  const clock = new ManualClock();
  const groups = new Store();
  groups.put({ metadata: { ...metadata, ...more } });
  const sent: unknown[] = [];
  const said: string[] = [];
  const left = [...refusals];
  const patch = async (_: unknown, __: unknown, { body }: { body: KubeObject }) => {
    const { finalizers, resourceVersion = '' } = body.metadata;
    sent.push([resourceVersion, finalizers]);
    const status = left.shift();
    if (status !== undefined) throw refused(status);
    return { metadata: { ...metadata, ...body.metadata, resourceVersion: `${resourceVersion}0` } };
  };
  const finalizers = new GroupFinalizers({
    cluster: { patch } as unknown as Cluster,
    groups,
    clock,
    random: () => 0,
    log: Log.create({ level: 'debug', sink: () => {} }),
    events: {
      record: ({ reason }: { reason: string }) => said.push(reason),
    } as unknown as EventRecorder,
    writesForMs: () => Infinity,
    onPlanNeeded: () => said.push('plan'),
  });
  finalizers.begin(new AbortController().signal);
  return { clock, groups, sent, said, finalizers };
}

function refused(status: number): ApiError {
  const usual = { code: 'refused', operation: 'patch', message: 'no' } as const;
  return new ApiError({ ...usual, outcome: 'not-done', status });
}

const added = ['1', ['x/hold', ours]];

test('a group is protected by one write, however many ask for it, and by none once it is', async () => {
  const { finalizers, sent } = writing();
  assert.equal(finalizers.isProtected(pool), false);
  const answers = await Promise.all([finalizers.protect(pool), finalizers.protect(pool)]);
  assert.deepEqual([answers, sent], [[undefined, undefined], [added]]);
  assert.equal(finalizers.isProtected(pool), true);
  assert.equal(await finalizers.protect(pool), undefined);
  assert.equal(sent.length, 1);
});

test('after a conflict the write is made again for what the watch shows', async () => {
  const { finalizers, groups, clock, sent } = writing({}, 409);
  const answer = finalizers.protect(pool);
  await clock.settle();
  groups.put({ metadata: { ...metadata, resourceVersion: '2', finalizers: [] } });
  await clock.advance(1_000);
  assert.equal(await answer, undefined);
  assert.deepEqual(sent, [added, ['2', [ours]]]);
});

test('no record may be made for a group that is gone, another, or being deleted', async () => {
  for (const more of [{ uid: 'other' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }]) {
    const { finalizers, sent } = writing(more);
    const answer = await finalizers.protect(pool);
    assert.deepEqual([answer?.reason, sent], ['unavailable', []]);
  }
  const { finalizers } = writing({}, 500);
  assert.equal(
    (await finalizers.protect(pool))?.reason,
    'unavailable',
    'nor while it is not known',
  );
});

test('without the permission records are made, the group warns, and it is tried again in a minute', async () => {
  const { finalizers, clock, sent } = writing({}, 403);
  assert.equal(await finalizers.protect(pool), undefined);
  assert.equal(await finalizers.protect(pool), undefined);
  assert.equal(sent.length, 1);
  assert.match(finalizers.warningsOf(pool).join(), /may not set the finalizer/);
  await clock.advance(61_000);
  assert.equal(await finalizers.protect(pool), undefined);
  assert.deepEqual([sent.length, finalizers.warningsOf(pool)], [2, []]);
});

test('the finalizer goes alone, with what is to be said about it; a failure is tried again later', async () => {
  const { finalizers, clock, sent, said } = writing({ finalizers: [ours, 'x/hold'] }, 500);
  const events = [{ reason: 'RecordsLeft', message: '' }] as const;
  const carry = async () => {
    finalizers.carry(new Map([[key, { kind: 'remove', events }]]));
    await clock.settle();
  };
  await carry();
  await carry();
  assert.deepEqual([sent, said], [[['1', ['x/hold']]], ['plan']]);
  await clock.advance(finalizers.nextTryAt() - clock.monotonic());
  await carry();
  assert.deepEqual([sent.length, said], [2, ['plan', 'RecordsLeft', 'plan']]);
  await carry();
  assert.equal(sent.length, 2);
});

test('a plan that only waits writes nothing', async () => {
  const { finalizers, clock, sent } = writing();
  finalizers.carry(new Map([[key, { kind: 'wait', reason: 'InUse', message: '' }]]));
  await clock.settle();
  assert.deepEqual(sent, []);
  finalizers.carry(new Map([[key, { kind: 'add' }]]));
  await clock.settle();
  assert.deepEqual(sent, [added]);
});
