import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { strategicPatch } from '../kube/patch.ts';
import { services } from '../kube/resources.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { type ObjectPatch, SlotWriter } from './slot-writer.ts';

function patchOf(name: string, value: string, basedOn?: string): ObjectPatch {
  const annotations = { 'purelb.io/announcing-IPv4': value };
  return { namespace: 'shop', name, body: { metadata: { uid: '1', annotations } }, basedOn };
}

/** A server that answers when told to. */
function build() {
  const clock = new ManualClock();
  const asked: string[] = [];
  const answers: { give(resourceVersion?: string): void; refuse(status: number): void }[] = [];
  const cluster = {
    patch: (_resource: unknown, { name }: { name: string }, patch: { body: object }) => {
      asked.push(`${name} ${JSON.stringify(patch.body).match(/node\d/)?.[0]}`);
      const { promise, resolve, reject } = Promise.withResolvers<KubeObject>();
      answers.push({
        give: (resourceVersion = '') => resolve({ metadata: { name, resourceVersion } }),
        refuse: (status) => reject(refusal('patch', status, {})),
      });
      return promise;
    },
  } as unknown as Cluster;
  const heard: string[] = [];
  const writer = new SlotWriter({
    cluster,
    resource: services,
    patchOf: strategicPatch,
    clock,
    onWritten: ({ metadata }) => heard.push(`written ${metadata.name}`),
    onFailed: ({ name }) => heard.push(`failed ${name}`),
    onRetry: () => heard.push('retry'),
  });
  return { clock, writer, asked, answers, heard };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the same word on its way is not sent twice, and of later ones only the latest', async () => {
  const { writer, asked, answers, heard } = build();
  writer.submit([patchOf('web', 'node1')]);
  await turn();
  writer.submit([patchOf('web', 'node1')]);
  writer.submit([patchOf('web', 'node2')]);
  writer.submit([patchOf('web', 'node3')]);
  await turn();
  assert.deepEqual(asked, ['web node1']);
  answers[0]?.give();
  await turn();
  assert.deepEqual(asked, ['web node1', 'web node3']);
  assert.deepEqual(heard, ['written web']);
});

test('a plan that does not know of the last write is not sent: it would only conflict', async () => {
  const { writer, asked, answers } = build();
  writer.submit([patchOf('web', 'node1', '7')]);
  await turn();
  writer.submit([patchOf('web', 'node2', '7')]);
  answers[0]?.give('8');
  await turn();
  assert.deepEqual(asked, ['web node1'], 'planned before the answer came');
  writer.submit([patchOf('web', 'node3', '7')]);
  await turn();
  assert.deepEqual(asked, ['web node1'], 'planned before the answer came, submitted after it');
  writer.submit([patchOf('web', 'node4', '8')]);
  await turn();
  assert.deepEqual(asked, ['web node1', 'web node4']);
});

test('after a write that changed nothing the same version is written to again', async () => {
  const { writer, asked, answers } = build();
  writer.submit([patchOf('web', 'node1', '7')]);
  await turn();
  answers[0]?.give('7');
  await turn();
  writer.submit([patchOf('web', 'node2', '7')]);
  await turn();
  assert.deepEqual(asked, ['web node1', 'web node2']);
});

test('what is not to be written any more is not', async () => {
  const { writer, asked, answers } = build();
  writer.submit([patchOf('web', 'node1')]);
  await turn();
  writer.submit([patchOf('web', 'node2')]);
  writer.submit([]);
  answers[0]?.give();
  await turn();
  assert.deepEqual([asked, writer.pending], [['web node1'], 0]);
});

test('a Service that somebody else wrote first is looked at again, one that is gone is not', async () => {
  const { clock, writer, answers, heard } = build();
  writer.submit([patchOf('web', 'node1'), patchOf('mail', 'node1')]);
  await turn();
  answers[0]?.refuse(409);
  answers[1]?.refuse(404);
  await turn();
  await clock.advance(200);
  assert.deepEqual(heard, ['retry']);
});

test('after a failure nothing is sent for a while, longer each time', async () => {
  const { clock, writer, asked, answers, heard } = build();
  for (const [round, waitMs] of [400, 800].entries()) {
    writer.submit([patchOf('web', 'node1')]);
    await turn();
    answers[round]?.refuse(500);
    await turn();
    await clock.advance(waitMs - 1);
    writer.submit([patchOf('web', 'node1')]);
    await turn();
    assert.equal(asked.length, round + 1);
    await clock.advance(1);
  }
  assert.deepEqual(heard, ['failed web', 'retry', 'failed web', 'retry']);
});

test('at the end it waits for answers, but not for ever', async () => {
  const { clock, writer, answers, heard } = build();
  writer.submit([patchOf('web', 'node1')]);
  await turn();
  const stopped = writer.stop(1000);
  answers[0]?.give();
  await stopped;
  writer.submit([patchOf('web', 'node2')]);
  await clock.advance(2000);
  assert.deepEqual([heard, writer.pending], [['written web'], 0]);
});

test('of many writes that wait their turn, none is tried when one has failed', async () => {
  const { clock, writer, asked, answers, heard } = build();
  const patches = Array.from({ length: 100 }, (_, index) => patchOf(`web${index}`, 'node1'));
  writer.submit(patches);
  await turn();
  for (const { refuse } of answers) refuse(503);
  await turn();
  assert.deepEqual([asked.length, heard, writer.pending], [8, ['failed web0'], 0]);
  await clock.advance(400);
  assert.deepEqual(heard, ['failed web0', 'retry']);
  writer.submit(patches);
  await turn();
  assert.equal(asked.length, 16);
});

test('what waits its turn is written as it is wanted by then, or not at all', async () => {
  const { writer, asked, answers } = build();
  const first = Array.from({ length: 8 }, (_, index) => patchOf(`web${index}`, 'node1'));
  writer.submit([...first, patchOf('mail', 'node1'), patchOf('chat', 'node1')]);
  await turn();
  writer.submit([...first, patchOf('mail', 'node2')]);
  for (const { give } of answers.slice()) give();
  await turn();
  assert.deepEqual(asked.slice(8), ['mail node2']);
});

test('a pass over some Services leaves what is to be written on others as it is', async () => {
  const { writer, asked, answers } = build();
  writer.submit([patchOf('web', 'node1'), patchOf('mail', 'node1')]);
  await turn();
  writer.submitSome(new Set(['shop/mail']), [patchOf('mail', 'node2')]);
  writer.submitSome(new Set(['shop/chat']), [patchOf('chat', 'node1')]);
  await turn();
  assert.deepEqual(asked, ['web node1', 'mail node1', 'chat node1']);
  for (const { give } of answers.slice()) give();
  await turn();
  assert.deepEqual(asked.slice(3), ['mail node2']);
});

test('a pass over some Services takes back what it no longer wants to write on them', async () => {
  const { writer, asked, answers } = build();
  writer.submit([patchOf('web', 'node1')]);
  await turn();
  writer.submitSome(new Set(['shop/web']), [patchOf('web', 'node2')]);
  writer.submitSome(new Set(['shop/web']), []);
  answers[0]?.give();
  await turn();
  assert.deepEqual([asked, writer.pending], [['web node1'], 0]);
});
