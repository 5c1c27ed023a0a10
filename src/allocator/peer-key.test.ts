import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { keepPeerKey } from './peer-key.ts';

const drawn = new Uint8Array(32).fill(65);
const encoded = Buffer.from(drawn).toString('base64');

/** `refuses`: status of the answer, by the verb. */
function open(refuses: Readonly<Record<string, number>> = {}, found?: KubeObject) {
  const clock = new ManualClock();
  const lines: string[] = [];
  const calls: string[] = [];
  const state: { secret: KubeObject | undefined } = { secret: found };
  const refuse = (operation: 'get' | 'create', status: number, reason?: string) => {
    const answer = { code: 'refused', operation, outcome: 'not-done', status } as const;
    throw new ApiError({ ...answer, ...(reason && { reason }), message: `no: ${encoded}` });
  };
  const answer = (operation: 'get' | 'create') => {
    calls.push(operation);
    const status = refuses[operation];
    if (status !== undefined) refuse(operation, status, status === 409 ? 'AlreadyExists' : '');
  };
  const cluster = {
    get: async () => {
      answer('get');
      return state.secret ?? refuse('get', 404);
    },
    create: async (_resource: unknown, object: KubeObject) => {
      answer('create');
      state.secret = object;
      return object;
    },
  } as unknown as Cluster;
  const log = Log.create({ level: 'debug', sink: (line) => lines.push(line), now: () => 0 });
  const stopping = new AbortController();
  const setup = { cluster, clock, log, namespace: 'lb', drawKey: () => drawn };
  const running = keepPeerKey(setup, stopping.signal);
  const end = async () => {
    stopping.abort();
    await running;
    assert.ok(!lines.join('').includes(encoded), 'a key is in the log');
  };
  return { clock, lines, calls, state, end };
}

test('a key that is missing is made, once, and again when the Secret is deleted', async () => {
  const { clock, lines, calls, state, end } = open();
  await clock.advance(1);
  assert.match(lines.join(''), /"object":"lb\/purelb-peer-key"/);
  assert.deepEqual(state.secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'purelb-peer-key',
      namespace: 'lb',
      labels: { 'app.kubernetes.io/name': 'purelb' },
    },
    type: 'Opaque',
    data: { key: encoded },
  });
  await clock.advance(180_000);
  assert.deepEqual(calls, ['get', 'create', 'get', 'get', 'get']);
  state.secret = undefined;
  await clock.advance(60_000);
  assert.equal(calls.at(-1), 'create');
  await end();
});

test('a key that is there is never changed, whatever it is', async () => {
  const mine = { metadata: { name: 'purelb-peer-key' }, data: { key: 'QUFB' } };
  const { clock, lines, calls, state, end } = open({}, mine);
  await clock.advance(180_000);
  assert.ok(!calls.includes('create'));
  assert.equal(state.secret, mine);
  const told = lines.filter((line) => line.includes('has no \\"key\\" of 32 bytes'));
  assert.equal(told.length, 1);
  await end();
});

test('what cannot be done is told once, with what to do, and never with a key', async () => {
  for (const [refuses, words] of [
    [{ get: 403 }, /may not read Secret lb\/purelb-peer-key: see deploy\/rbac\/allocator\.yaml/],
    [{ create: 403 }, /may not make Secret lb\/purelb-peer-key: see deploy\/rbac/],
    [{ get: 500 }, /Secret lb\/purelb-peer-key could not be read/],
    [{ create: 500 }, /Secret lb\/purelb-peer-key could not be made/],
  ] as const) {
    const { clock, lines, end } = open(refuses);
    await clock.advance(180_000);
    assert.equal(lines.filter((line) => words.test(line)).length, 1, lines.join(''));
    await end();
  }
});

test('of two that make it at once one wins, and the other is content', async () => {
  const { clock, lines, end } = open({ create: 409 });
  await clock.advance(1);
  assert.deepEqual(lines, []);
  await end();
});
