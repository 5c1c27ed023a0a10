import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { Store } from '../kube/store.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { type GroupStatusWrite, GroupStatusWriter } from './group-status-writer.ts';

/** A server that takes everything, or refuses with these statuses first. */
function writing(...refusals: readonly number[]) {
  const clock = new ManualClock();
  const store = new Store();
  const log: string[] = [];
  const left = [...refusals];
  let version = 1;
  let isCurrent = true;
  const patch = async (_: unknown, ref: { name: string }, { body }: { body: KubeObject }) => {
    const status = left.shift();
    log.push(`${ref.name} ${JSON.stringify(body.status)} at ${clock.monotonic()}`);
    if (status !== undefined) throw refused(status);
    version += 1;
    return { metadata: { ...body.metadata, resourceVersion: String(version) } };
  };
  const writer = new GroupStatusWriter({
    cluster: { patch } as unknown as Cluster,
    store,
    clock,
    random: () => 0,
    writesForMs: () => (isCurrent ? Infinity : 0),
    onWritten: ({ key }) => log.push(`written ${key}`),
    onOutdated: () => log.push('plan again'),
    onFailed: ({ key }, error) => log.push(`failed ${key} ${(error as ApiError).status}`),
  });
  const leadership = new AbortController();
  writer.begin(leadership.signal);
  const setCurrent = (is: boolean) => {
    isCurrent = is;
  };
  return { clock, log, writer, leadership, setCurrent };
}

function refused(status: number): ApiError {
  const usual = {
    code: 'refused',
    operation: 'patch',
    message: 'no',
    outcome: 'not-done',
  } as const;
  return new ApiError({ ...usual, status });
}

function wish(
  name: string,
  count: number,
  isUrgent = false,
  resourceVersion = '1',
): GroupStatusWrite {
  const metadata = { name, namespace: 'purelb-system' };
  return {
    key: `purelb-system/${name}`,
    object: { metadata: { ...metadata, resourceVersion } },
    body: {
      apiVersion: 'purelb.io/v2',
      kind: 'ServiceGroup',
      metadata,
      status: { allocatedIPv4: count },
    },
    events: [],
    isUrgent,
  };
}

test('17.13: counts are gathered for a moment, and only the last is written', async () => {
  const { clock, log, writer } = writing();
  for (const count of [1, 2, 3]) writer.want([wish('default', count)]);
  await clock.advance(249);
  assert.deepEqual(log, []);
  await clock.advance(1);
  assert.deepEqual(log, ['default {"allocatedIPv4":3} at 250', 'written purelb-system/default']);
});

test('a group is written once a second at most, but at once where Services wait for it', async () => {
  const { clock, log, writer } = writing();
  for (let count = 1; count <= 30; count += 1) {
    writer.want([wish('default', count, false, String(log.length))]);
    await clock.advance(100);
  }
  writer.want([wish('default', 31, true, 'last')]);
  await clock.settle();
  assert.deepEqual(
    log.filter((line) => line.startsWith('default')).map((line) => line.replace(/^.* at /, '')),
    ['250', '1250', '2250', '3000'],
  );
});

test('what was wanted while a group was written is planned again, not refused by the server', async () => {
  const { clock, log, writer } = writing();
  writer.want([wish('default', 1, true)]);
  writer.want([wish('default', 2)]);
  await clock.advance(5_000);
  assert.deepEqual(log, [
    'default {"allocatedIPv4":1} at 0',
    'written purelb-system/default',
    'plan again',
  ]);
});

test('what Services wait for is written at once', async () => {
  const { clock, log, writer } = writing();
  writer.want([wish('default', 1, true)]);
  await clock.settle();
  assert.deepEqual(log, ['default {"allocatedIPv4":1} at 0', 'written purelb-system/default']);
});

test('16.52, 16.56: one that fails keeps no other back, and is tried again after a while', async () => {
  const { clock, log, writer } = writing(403);
  writer.want([wish('a', 1), wish('b', 1)]);
  await clock.advance(250);
  assert.deepEqual(log.splice(0), [
    'a {"allocatedIPv4":1} at 250',
    'b {"allocatedIPv4":1} at 250',
    'failed purelb-system/a 403',
    'written purelb-system/b',
  ]);
  assert.equal(writer.nextTryAt(), 450);
  writer.want([wish('a', 1, true)]);
  await clock.settle();
  assert.deepEqual(log, []);
  await clock.advance(200);
  writer.want([wish('a', 1, true)]);
  await clock.settle();
  assert.deepEqual(log, ['a {"allocatedIPv4":1} at 450', 'written purelb-system/a']);
});

test('a group that was deleted meanwhile needs no status, and nobody is warned', async () => {
  const { clock, log, writer } = writing(404);
  writer.want([wish('gone', 1, true)]);
  await clock.settle();
  assert.deepEqual(log, ['gone {"allocatedIPv4":1} at 0']);
});

test('who no longer leads by the clock sends nothing', async () => {
  const { clock, log, writer, setCurrent, leadership } = writing();
  setCurrent(false);
  writer.want([wish('default', 1, true)]);
  await clock.advance(1_000);
  assert.deepEqual(log, []);
  setCurrent(true);
  await clock.advance(250);
  assert.equal(log.length, 2);
  setCurrent(false);
  writer.want([wish('default', 2, true)]);
  leadership.abort();
  await writer.end(0);
  setCurrent(true);
  await clock.advance(1_000);
  assert.equal(log.length, 2);
});

test('after the end nothing is wanted any more', async () => {
  const { clock, log, writer, leadership } = writing();
  writer.want([wish('default', 1)]);
  leadership.abort();
  await writer.end(5_000);
  writer.want([wish('default', 2, true)]);
  await clock.advance(1_000);
  assert.deepEqual(log, []);
});
