import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import type { KubeObject } from '../model/kube-object.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import {
  type ApiError,
  isAlreadyExists,
  isAmbiguous,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isThrottled,
  isUnauthorized,
} from './api-error.ts';
import { answering, BodyPipe, bodyOf } from './body-pipe.fixture.ts';
import { HttpCluster } from './http-cluster.ts';
import { applyPatch, jsonPatch, mergePatch } from './patch.ts';
import { leases, nodes, services } from './resources.ts';
import {
  connectionRefused,
  connectionReset,
  type Fault,
  hangs,
  ok,
  status,
} from './scripted-api.fixture.ts';
import { TransportError, type TransportRequest } from './transport.ts';

const shop = { namespace: 'web', name: 'shop' };

/** A cluster whose server gives these answers, one after the other, and what it was asked. */
function clusterAnswering(...answers: readonly Fault[]) {
  const clock = new ManualClock();
  const asked: TransportRequest[] = [];
  const left = [...answers];
  const cluster = new HttpCluster({
    clock,
    mostCalls: 2,
    transport: {
      exchange: async (request) => {
        asked.push(request);
        const answer = left.shift()?.(request) ?? ok('{"metadata":{"name":"shop"}}');
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
  const lines = () => asked.map(({ method, path }) => `${method} ${path}`);
  return { clock, cluster, asked, lines };
}

const answer =
  (object: object): Fault =>
  () =>
    ok(JSON.stringify(object));

async function failure(call: Promise<unknown>): Promise<ApiError> {
  return call.then(
    () => assert.fail('it should have failed'),
    (error: ApiError) => error,
  );
}

test('each verb asks for the right path in the right form', async () => {
  const { cluster, asked } = clusterAnswering();
  const object: KubeObject = { metadata: { ...shop, resourceVersion: '7' }, spec: { a: 1 } };
  await cluster.get(services, shop);
  await cluster.create(services, object, { fieldManager: 'purelb' });
  await cluster.replace(services, object, { subresource: 'status' });
  await cluster.patch(services, shop, mergePatch({ spec: null }), { isDryRun: true });
  await cluster.patch(services, shop, jsonPatch({ op: 'test', path: '/spec/a', value: 1 }));
  await cluster.patch(nodes, { name: 'n1' }, applyPatch({ spec: {} }, { isForced: true }), {
    fieldManager: 'purelb',
    subresource: 'status',
  });
  const preconditions = { uid: 'u', resourceVersion: '7' };
  await cluster.delete(services, shop, { preconditions, propagation: 'Background' });
  const shown = asked.map(({ method, path, headers, body }) =>
    [method, path, headers['content-type'], body].filter((part) => part !== undefined).join(' '),
  );
  const typed =
    '{"metadata":{"namespace":"web","name":"shop","resourceVersion":"7"},"spec":{"a":1},';
  assert.deepEqual(shown, [
    'GET /api/v1/namespaces/web/services/shop',
    `POST /api/v1/namespaces/web/services?fieldManager=purelb application/json ${typed}"apiVersion":"v1","kind":"Service"}`,
    `PUT /api/v1/namespaces/web/services/shop/status application/json ${typed}"apiVersion":"v1","kind":"Service"}`,
    'PATCH /api/v1/namespaces/web/services/shop?dryRun=All application/merge-patch+json {"spec":null}',
    'PATCH /api/v1/namespaces/web/services/shop application/json-patch+json [{"op":"test","path":"/spec/a","value":1}]',
    'PATCH /api/v1/nodes/n1/status?fieldManager=purelb&force=true application/apply-patch+yaml {"spec":{}}',
    'DELETE /api/v1/namespaces/web/services/shop application/json {"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u","resourceVersion":"7"},"propagationPolicy":"Background"}',
  ]);
});

test('a list is read page by page, with kind and apiVersion filled in and managedFields dropped', async () => {
  const item = (name: string) => ({ metadata: { name, managedFields: [{}] } });
  const { cluster, lines } = clusterAnswering(
    answer({ metadata: { resourceVersion: '9', continue: 'more' }, items: [item('a')] }),
    answer({ metadata: { resourceVersion: '9' }, items: [item('b')] }),
  );
  const pages = [];
  for await (const page of cluster.list(services, { pageSize: 1, labelSelector: 'app=a' })) {
    pages.push(page);
  }
  const whole = (name: string) => ({ kind: 'Service', apiVersion: 'v1', metadata: { name } });
  assert.deepEqual(pages, [
    { items: [whole('a')], version: '9' },
    { items: [whole('b')], version: '9' },
  ]);
  assert.deepEqual(lines(), [
    'GET /api/v1/services?labelSelector=app%3Da&limit=1',
    'GET /api/v1/services?labelSelector=app%3Da&limit=1&continue=more',
  ]);
});

test('a list without items is empty; one without a version is malformed', async () => {
  const { cluster } = clusterAnswering(
    answer({ metadata: { resourceVersion: '9' }, items: null }),
    answer({ items: [] }),
  );
  const first = async () => {
    for await (const page of cluster.list(services)) return page;
  };
  assert.deepEqual(await first(), { items: [], version: '9' });
  assert.equal((await failure(first())).code, 'malformed');
});

test('an error says what was tried, what the server said and that nothing was done', async () => {
  const body = { reason: 'Conflict', message: 'the object has been modified' };
  const { cluster } = clusterAnswering(() => ({
    status: 409,
    headers: {},
    body: bodyOf(JSON.stringify(body)),
  }));
  const error = await failure(
    cluster.patch(services, shop, mergePatch({}), { subresource: 'status' }),
  );
  assert.equal(
    error.message,
    'patch services/status web/shop: 409 Conflict: the object has been modified',
  );
  assert.deepEqual([error.code, error.status, error.outcome], ['refused', 409, 'not-done']);
});

test('each kind of refusal is recognised, and only that', async () => {
  const predicates = {
    isUnauthorized,
    isForbidden,
    isNotFound,
    isConflict,
    isAlreadyExists,
    isGone,
    isInvalid,
    isThrottled,
  };
  const recognise = async (code: number, reason: string) => {
    const { cluster } = clusterAnswering(() => status(code, reason));
    const error = await failure(cluster.create(services, { metadata: shop }));
    return Object.entries(predicates).flatMap(([name, is]) => (is(error) ? [name] : []));
  };
  assert.deepEqual(
    await Promise.all([
      recognise(401, 'Unauthorized'),
      recognise(403, 'Forbidden'),
      recognise(404, 'NotFound'),
      recognise(409, 'Conflict'),
      recognise(409, 'AlreadyExists'),
      recognise(410, 'Expired'),
      recognise(422, 'Invalid'),
      recognise(429, 'TooManyRequests'),
      recognise(500, 'InternalError'),
    ]),
    [
      ['isUnauthorized'],
      ['isForbidden'],
      ['isNotFound'],
      ['isConflict'],
      ['isAlreadyExists'],
      ['isGone'],
      ['isInvalid'],
      ['isThrottled'],
      [],
    ],
  );
  assert.ok(!isNotFound(new Error('404')));
});

test('a write whose connection died is ambiguous and is not repeated', async () => {
  const { cluster, asked } = clusterAnswering(connectionReset);
  const error = await failure(cluster.patch(services, shop, mergePatch({})));
  assert.deepEqual([error.code, error.outcome, asked.length], ['interrupted', 'unknown', 1]);
  assert.ok(isAmbiguous(error));
});

test('a write that found no connection, or was turned away, was not done', async () => {
  const outcomes = async (fault: Fault) => {
    const { cluster, asked } = clusterAnswering(fault);
    const error = await failure(cluster.create(services, { metadata: shop }));
    return [error.code, error.outcome, asked.length];
  };
  assert.deepEqual(await outcomes(connectionRefused), ['unreachable', 'not-done', 1]);
  const later = () => status(429, 'TooManyRequests', { 'retry-after': '1' });
  assert.deepEqual(await outcomes(later), ['refused', 'not-done', 1]);
  assert.deepEqual(await outcomes(() => status(503, 'x')), ['refused', 'not-done', 1]);
  assert.deepEqual(await outcomes(() => status(500, 'x')), ['refused', 'unknown', 1]);
  assert.deepEqual(await outcomes(() => status(504, 'Timeout')), ['refused', 'unknown', 1]);
});

test('a read waits as it is told to and asks again, for ten seconds in all', async () => {
  const later = () => status(429, 'TooManyRequests', { 'retry-after': '4' });
  const { clock, cluster, asked } = clusterAnswering(later, later);
  const reading = cluster.get(services, shop);
  await clock.advance(3_999);
  assert.equal(asked.length, 1);
  await clock.advance(4_001);
  assert.deepEqual((await reading).metadata.name, 'shop');

  const busy = clusterAnswering(later, later, later, later);
  const failing = failure(busy.cluster.get(services, shop));
  await busy.clock.advance(60_000);
  assert.deepEqual([(await failing).retryAfterMs, busy.asked.length], [4_000, 3]);
});

test('a read does not wait when not told for how long', async () => {
  const { cluster, asked } = clusterAnswering(() => status(503, 'ServiceUnavailable'));
  assert.equal((await failure(cluster.get(services, shop))).status, 503);
  assert.equal(asked.length, 1);
});

test('a read on a connection that had gone stale in the pool is sent once more', async () => {
  const stale = () => new TransportError('reset', 'closed', { wasReused: true });
  const { clock, cluster, asked } = clusterAnswering(stale);
  const reading = cluster.get(services, shop);
  await clock.settle();
  await reading;
  assert.equal(asked.length, 2);
});

test('an answer that never comes, or stops half way, is given up', async () => {
  const stopping: Fault = ({ signal }) => {
    return answering(new BodyPipe(signal).write('{"met'));
  };
  const { clock, cluster } = clusterAnswering(hangs, stopping, hangs);
  const first = failure(cluster.get(services, shop));
  await clock.advance(30_000);
  assert.match((await first).message, /^get services web\/shop: no answer within 30 s$/);
  const second = failure(cluster.patch(services, shop, mergePatch({})));
  await clock.advance(30_000);
  assert.deepEqual(
    [(await second).message, (await second).outcome],
    ['patch services web/shop: the answer paused for 30 s', 'unknown'],
  );
  const third = failure(cluster.get(services, shop, { withinMs: 1_000 }));
  await clock.advance(1_000);
  assert.match((await third).message, /within 1 s/);
  assert.equal(clock.pendingTimers, 0);
});

test('a proxy that answers in HTML is quoted by its first line', async () => {
  const { cluster } = clusterAnswering(() => ({
    status: 502,
    headers: {},
    body: bodyOf('<html>bad gateway\n<p>'),
  }));
  assert.equal(
    (await failure(cluster.get(services, shop))).message,
    'get services web/shop: 502: <html>bad gateway',
  );
});

test('a 200 with something else than JSON is malformed', async () => {
  const { cluster } = clusterAnswering(() => ok('<html>'));
  assert.equal((await failure(cluster.get(services, shop))).code, 'malformed');
});

test('calls beyond the limit wait their turn; urgent ones do not wait', async () => {
  const { cluster, clock, lines } = clusterAnswering(hangs, hangs);
  const calls = ['a', 'b', 'c'].map((name) => cluster.get(nodes, { name }).catch(() => {}));
  await clock.settle();
  const renewal = cluster.get(leases, { namespace: 'x', name: 'lease' }, { isUrgent: true });
  await renewal;
  assert.deepEqual(lines(), [
    'GET /api/v1/nodes/a',
    'GET /api/v1/nodes/b',
    'GET /apis/coordination.k8s.io/v1/namespaces/x/leases/lease',
  ]);
  await clock.advance(30_000);
  await Promise.all(calls);
  assert.equal(lines()[3], 'GET /api/v1/nodes/c');
});

test('a caller can take back its call at any time and leaves no listener behind', async () => {
  const waiting = clusterAnswering(hangs, hangs);
  const controller = new AbortController();
  const { signal } = controller;
  const calls = ['a', 'b', 'c'].map((name) =>
    failure(waiting.cluster.get(nodes, { name }, { signal })),
  );
  await waiting.clock.settle();
  const reason = new Error('changed my mind');
  controller.abort(reason);
  assert.deepEqual(await Promise.all(calls), [reason, reason, reason]);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  assert.equal(await failure(waiting.cluster.get(nodes, { name: 'a' }, { signal })), reason);
  assert.equal(waiting.asked.length, 2);
  assert.equal(waiting.clock.pendingTimers, 0);
});

test('a deletion tells whether the object is gone or still has finalizers', async () => {
  const deletionTimestamp = '2026-11-15T00:00:00Z';
  const lingering = { metadata: { ...shop, deletionTimestamp, finalizers: ['x'] } };
  const { cluster } = clusterAnswering(
    answer({ kind: 'Status', status: 'Success' }),
    answer({ metadata: shop }),
    answer(lingering),
  );
  assert.deepEqual(await cluster.delete(services, shop), { isGone: true });
  assert.deepEqual(await cluster.delete(services, shop), { isGone: true });
  assert.deepEqual(await cluster.delete(services, shop), { isGone: false, object: lingering });
});

test('a thousand calls at once are all under way or waiting, and none is slowed down', async () => {
  const { cluster, clock, asked } = clusterAnswering();
  const names = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
  await Promise.all(names.map((name) => cluster.get(nodes, { name })));
  assert.deepEqual([asked.length, clock.monotonic()], [1_000, 0]);
  assert.deepEqual(
    asked.map(({ path }) => path.split('/')[4]),
    names,
  );
});
