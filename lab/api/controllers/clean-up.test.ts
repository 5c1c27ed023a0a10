import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inProcess } from '../api.fixture.ts';
import { definition } from '../contract/things.ts';

const namespaces = '/api/v1/namespaces';

function withContent() {
  const server = inProcess();
  server.post(namespaces, { metadata: { name: 'a' } });
  server.post(`${namespaces}/a/configmaps`, { metadata: { name: 'free' } });
  server.post(`${namespaces}/a/configmaps`, {
    metadata: { name: 'held', finalizers: ['example.com/hold'] },
  });
  return server;
}

test('a namespace goes when its content is gone, and waits for finalizers', async () => {
  const { clock, get, remove, patch } = withContent();
  remove(`${namespaces}/a`);
  await clock.advance(3000);
  assert.equal(get(`${namespaces}/a`).status, 200);
  assert.equal(get(`${namespaces}/a/configmaps/free`).status, 404);
  patch(`${namespaces}/a/configmaps/held`, { metadata: { finalizers: null } });
  await clock.advance(1000);
  assert.equal(get(`${namespaces}/a`).status, 404);
});

test('a definition goes when its objects are gone', async () => {
  const { clock, api, post, get, remove } = inProcess();
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const things = '/apis/x.example.com/v2/namespaces/default/things';
  post(crds, definition('x.example.com'));
  const thing = { apiVersion: 'x.example.com/v2', kind: 'Thing', spec: { name: 'abc' } };
  post(things, { ...thing, metadata: { name: 'a' } });
  remove(`${crds}/things.x.example.com`);
  await clock.settle();
  assert.equal(get(`${crds}/things.x.example.com`).status, 404);
  assert.equal(api.core.store.collection('things.x.example.com').size, 0);
  assert.equal(api.core.registry.find('x.example.com', 'v2', 'things'), undefined);
});

test('a stopped server cleans up no more, and leaves no timer', async () => {
  const { clock, api, get, remove } = withContent();
  const before = clock.pendingTimers;
  remove(`${namespaces}/a`);
  api.stop();
  assert.equal(clock.pendingTimers, before);
  await clock.advance(5000);
  assert.equal(get(`${namespaces}/a/configmaps/free`).status, 200);
});
