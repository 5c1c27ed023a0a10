import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt } from '../json.ts';
import type { World } from './contract-world.ts';
import { at, causes, message, namesOf, outcome, versionOf } from './look.ts';

/** Creating, reading, replacing and deleting, the same for every kind; ConfigMaps stand for all. */
export function objectsContract(world: World): void {
  const path = async () => `/api/v1/namespaces/${await world.namespace()}/configmaps`;
  const named = (name: string, more = {}) => ({ metadata: { name }, ...more });

  test('a new object gets a uid, a version, a time and its namespace', async () => {
    const configMaps = await path();
    const created = await world.admin.post(configMaps, named('a', { data: { key: 'value' } }));
    assert.equal(outcome(created), '201');
    assert.match(textAt(created.body, 'metadata', 'uid'), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-/);
    assert.match(
      textAt(created.body, 'metadata', 'creationTimestamp'),
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    );
    assert.equal(configMaps.split('/')[4], at(created.body, 'metadata.namespace'));
    assert.equal(at(created.body, 'kind'), 'ConfigMap');
    const read = await world.admin.get(`${configMaps}/a`);
    assert.deepEqual(read.body, created.body);
  });

  test('a name is taken only once, and unknown names are not found', async () => {
    const configMaps = await path();
    await world.admin.post(configMaps, named('a'));
    const again = await world.admin.post(configMaps, named('a'));
    assert.equal(outcome(again), '409 AlreadyExists');
    assert.equal(message(again), 'configmaps "a" already exists');
    const missing = await world.admin.get(`${configMaps}/b`);
    assert.deepEqual(missing.body, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "b" not found',
      reason: 'NotFound',
      details: { name: 'b', kind: 'configmaps' },
      code: 404,
    });
  });

  test('a name can be generated, must be given otherwise, and must fit', async () => {
    const configMaps = await path();
    const generated = await world.admin.post(configMaps, { metadata: { generateName: 'a-' } });
    assert.match(textAt(generated.body, 'metadata', 'name'), /^a-[a-z0-9]{5}$/);
    const nameless = await world.admin.post(configMaps, { metadata: {} });
    assert.deepEqual(causes(nameless), [
      'metadata.name: Required value: name or generateName is required',
    ]);
    assert.equal(outcome(await world.admin.post(configMaps, named('A_b'))), '422 Invalid');
  });

  test('objects go only into namespaces that exist and that the path names', async () => {
    const elsewhere = await world.admin.post('/api/v1/namespaces/nowhere/configmaps', named('a'));
    assert.equal(message(elsewhere), 'namespaces "nowhere" not found');
    const other = { metadata: { name: 'a', namespace: 'default' } };
    assert.equal(outcome(await world.admin.post(await path(), other)), '400 BadRequest');
  });

  test('a replacement must have seen the latest version, if it says what it saw', async () => {
    const configMaps = await path();
    const first = await world.admin.post(configMaps, named('a', { data: { n: '1' } }));
    const seen = { name: 'a', resourceVersion: versionOf(first) };
    const second = await world.admin.put(`${configMaps}/a`, { metadata: seen, data: { n: '2' } });
    assert.equal(outcome(second), '200');
    const stale = await world.admin.put(`${configMaps}/a`, { metadata: seen, data: { n: '3' } });
    assert.equal(outcome(stale), '409 Conflict');
    assert.equal(
      message(stale),
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    const blind = await world.admin.put(`${configMaps}/a`, named('a', { data: { n: '4' } }));
    assert.equal(at(blind.body, 'data.n'), '4');
    assert.ok(Number(versionOf(blind)) > Number(versionOf(second)));
  });

  test('a replacement is for one object, by name and by uid', async () => {
    const configMaps = await path();
    await world.admin.post(configMaps, named('a'));
    assert.equal(outcome(await world.admin.put(`${configMaps}/a`, named('b'))), '400 BadRequest');
    const other = { metadata: { name: 'a', uid: 'another' } };
    assert.equal(outcome(await world.admin.put(`${configMaps}/a`, other)), '409 Conflict');
    assert.equal(outcome(await world.admin.put(`${configMaps}/b`, named('b'))), '404 NotFound');
  });

  test('a write that changes nothing leaves the version as it is', async () => {
    const configMaps = await path();
    const created = await world.admin.post(configMaps, named('a', { data: { n: '1' } }));
    const same = await world.admin.put(`${configMaps}/a`, named('a', { data: { n: '1' } }));
    assert.equal(versionOf(same), versionOf(created));
    const patched = await world.admin.patch(`${configMaps}/a`, { data: { n: '1' } });
    assert.equal(versionOf(patched), versionOf(created));
  });

  test('a rehearsal shows the result and keeps nothing', async () => {
    const configMaps = await path();
    const created = await world.admin.post(`${configMaps}?dryRun=All`, named('a'));
    assert.equal(outcome(created), '201');
    assert.equal(outcome(await world.admin.get(`${configMaps}/a`)), '404 NotFound');
    await world.admin.post(configMaps, named('a'));
    await world.admin.patch(`${configMaps}/a?dryRun=All`, { data: { n: '1' } });
    await world.admin.delete(`${configMaps}/a?dryRun=All`);
    assert.equal(at((await world.admin.get(`${configMaps}/a`)).body, 'data'), undefined);
    const odd = await world.admin.post(`${configMaps}?dryRun=Some`, named('b'));
    assert.equal(outcome(odd), '422 Invalid');
  });

  test('a deletion may be bound to a uid and to a version', async () => {
    const configMaps = await path();
    const created = await world.admin.post(configMaps, named('a'));
    const remove = (preconditions: { uid?: string; resourceVersion?: string }) =>
      world.admin.delete(`${configMaps}/a`, { preconditions });
    assert.equal(outcome(await remove({ uid: 'another' })), '409 Conflict');
    assert.equal(outcome(await remove({ resourceVersion: '1' })), '409 Conflict');
    const gone = await remove({ uid: textAt(created.body, 'metadata', 'uid') });
    assert.equal(at(gone.body, 'status'), 'Success');
    assert.equal(outcome(await world.admin.get(`${configMaps}/a`)), '404 NotFound');
  });

  test('finalizers keep a deleted object until the last one goes', async () => {
    const configMaps = await path();
    const metadata = { name: 'a', finalizers: ['example.com/one', 'example.com/two'] };
    await world.admin.post(configMaps, { metadata });
    const deleted = await world.admin.delete(`${configMaps}/a`);
    assert.match(textAt(deleted.body, 'metadata', 'deletionTimestamp'), /Z$/);
    assert.equal(at(deleted.body, 'metadata.deletionGracePeriodSeconds'), 0);
    const twice = await world.admin.delete(`${configMaps}/a`);
    assert.equal(versionOf(twice), versionOf(deleted));
    const add = { metadata: { finalizers: ['example.com/one', 'example.com/three'] } };
    assert.equal(outcome(await world.admin.patch(`${configMaps}/a`, add)), '422 Invalid');
    const fewer = { metadata: { finalizers: ['example.com/two'] } };
    assert.equal(outcome(await world.admin.patch(`${configMaps}/a`, fewer)), '200');
    const none = { metadata: { finalizers: null } };
    assert.equal(outcome(await world.admin.patch(`${configMaps}/a`, none)), '200');
    assert.equal(outcome(await world.admin.get(`${configMaps}/a`)), '404 NotFound');
  });

  test('a collection is deleted by labels', async () => {
    const configMaps = await path();
    await world.admin.post(configMaps, { metadata: { name: 'a', labels: { app: 'x' } } });
    await world.admin.post(configMaps, { metadata: { name: 'b', labels: { app: 'y' } } });
    const gone = await world.admin.delete(`${configMaps}?labelSelector=app%3Dx`);
    assert.deepEqual(namesOf(gone), ['a']);
    assert.deepEqual(namesOf(await world.admin.get(`${configMaps}?labelSelector=app`)), ['b']);
  });

  test('fields that a kind does not have are dropped with a warning, or refused', async () => {
    const configMaps = await path();
    const odd = { metadata: { name: 'a', colour: 'red' }, shape: { round: true } };
    const strict = await world.admin.post(`${configMaps}?fieldValidation=Strict`, odd);
    assert.equal(outcome(strict), '400 BadRequest');
    assert.match(message(strict), /unknown field "metadata.colour", unknown field "shape"/);
    const warned = await world.admin.post(configMaps, odd);
    assert.equal(
      warned.headers['warning'],
      '299 - "unknown field \\"metadata.colour\\"", 299 - "unknown field \\"shape\\""',
    );
    assert.equal(at(warned.body, 'shape'), undefined);
  });

  test('what cannot be read is refused', async () => {
    const configMaps = await path();
    const send = (body: unknown, type?: string) => world.admin.send('POST', configMaps, body, type);
    assert.equal(outcome(await send('nonsense')), '400 BadRequest');
    assert.equal(outcome(await send(named('a', { data: { n: 1 } }))), '400 BadRequest');
    assert.equal(outcome(await send({ ...named('a'), kind: 'Secret' })), '400 BadRequest');
    assert.equal(outcome(await send({ ...named('a'), apiVersion: 'v7' })), '400 BadRequest');
    assert.equal(outcome(await send('<a/>', 'application/xml')), '415 UnsupportedMediaType');
    const version = { metadata: { name: 'a', resourceVersion: '1' } };
    assert.equal(outcome(await send(version)), '500');
  });

  test('paths and methods that nobody serves', async () => {
    const configMaps = await path();
    const asked: readonly (readonly [string, string])[] = [
      ['GET', '/nothing'],
      ['GET', '/apis/nothing.example.com/v1/things'],
      ['GET', '/api/v1/things'],
      ['POST', `${configMaps}/a`],
      ['PUT', configMaps],
      ['POST', '/api/v1/configmaps'],
      ['GET', `${configMaps}/a/status`],
    ];
    const outcomes = await Promise.all(
      asked.map(async ([method, url]) => outcome(await world.admin.send(method, url, undefined))),
    );
    assert.deepEqual(outcomes, [
      '404',
      '404',
      '404 NotFound',
      '405 MethodNotAllowed',
      '405 MethodNotAllowed',
      '405 MethodNotAllowed',
      '404 NotFound',
    ]);
  });
}
