import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inProcess } from '../api.fixture.ts';
import { textAt } from '../json.ts';

const services = '/api/v1/namespaces/default/services';

test('a quiet watch gets a bookmark each minute, if it wants them', async () => {
  const { clock, watch, api } = inProcess();
  const asked = watch(`${services}?watch=1&resourceVersion=1&allowWatchBookmarks=true`);
  const plain = watch(`${services}?watch=1&resourceVersion=1`);
  const before = asked.lines.length;
  await clock.advance(59_000);
  assert.equal(asked.lines.length, before);
  await clock.advance(62_000);
  const bookmarks = asked.events.slice(before);
  assert.deepEqual(
    bookmarks.map(({ type, object }) => [type, textAt(object, 'metadata', 'resourceVersion')]),
    Array(2).fill(['BOOKMARK', String(api.core.store.revision)]),
  );
  assert.deepEqual(bookmarks[0]?.object, {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { resourceVersion: String(api.core.store.revision) },
    spec: {},
    status: { loadBalancer: {} },
  });
  assert.ok(plain.events.every(({ type }) => type !== 'BOOKMARK'));
});

test('the last bookmark comes two seconds before the end', async () => {
  const { clock, watch } = inProcess();
  const asked = watch(
    `${services}?watch=1&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=65`,
  );
  const before = asked.lines.length;
  const bookmarks = () => asked.lines.length - before;
  await clock.advance(62_999);
  assert.equal(bookmarks(), 1);
  await clock.advance(1);
  assert.equal(bookmarks(), 2);
  await clock.advance(2000);
  assert.ok(asked.isEnded);
  assert.equal(bookmarks(), 2);
});

test('a watch ends when its time is up, by itself after half an hour to an hour', async () => {
  const { clock, watch } = inProcess();
  const short = watch(`${services}?watch=1&timeoutSeconds=300`);
  const long = watch(`${services}?watch=1`);
  await clock.advance(299_999);
  assert.ok(!short.isEnded);
  await clock.advance(1);
  assert.ok(short.isEnded);
  await clock.advance(1_490_000);
  assert.ok(!long.isEnded);
  await clock.advance(1_820_000);
  assert.ok(long.isEnded);
});

test('a stopped watch leaves no timer and no listener behind', () => {
  const { clock, watch, post } = inProcess();
  const before = clock.pendingTimers;
  const stopped = watch(`${services}?watch=1&allowWatchBookmarks=true`);
  stopped.stop();
  assert.equal(clock.pendingTimers, before);
  const seen = stopped.lines.length;
  post(services, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } });
  assert.equal(stopped.lines.length, seen);
});
