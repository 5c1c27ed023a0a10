import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../json.ts';
import { patchTypes } from './contract-client.ts';
import type { World } from './contract-world.ts';
import { at, outcome, versionOf } from './look.ts';

/** The three kinds of patch that change what is there. */
export function patchesContract(world: World): void {
  const make = async (object: JsonObject = {}) => {
    const configMaps = `/api/v1/namespaces/${await world.namespace()}/configmaps`;
    await world.admin.post(configMaps, { metadata: { name: 'a' }, ...object });
    return `${configMaps}/a`;
  };

  test('a merge patch adds, changes and removes', async () => {
    const path = await make({ data: { kept: '1', changed: '1', removed: '1' } });
    const patch = { data: { changed: '2', removed: null, added: '2' } };
    const { body } = await world.admin.patch(path, patch);
    assert.deepEqual(at(body, 'data'), { kept: '1', changed: '2', added: '2' });
  });

  test('a merge patch may say which version it was made for', async () => {
    const path = await make();
    const seen = versionOf(await world.admin.get(path));
    const patch = (resourceVersion: string, n: string) =>
      world.admin.patch(path, { metadata: { resourceVersion }, data: { n } });
    assert.equal(outcome(await patch(seen, '1')), '200');
    assert.equal(outcome(await patch(seen, '2')), '409 Conflict');
  });

  test('a JSON patch is carried out in order, wholly or not at all', async () => {
    const path = await make({ data: { a: '1', b: '2' } });
    const patched = await world.admin.patch(
      path,
      [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'replace', path: '/data/a', value: '9' },
        { op: 'copy', from: '/data/a', path: '/data/c' },
        { op: 'move', from: '/data/b', path: '/data/d' },
        { op: 'add', path: '/metadata/labels', value: { 'x/y': '1' } },
        { op: 'remove', path: '/metadata/labels/x~1y' },
        { op: 'add', path: '/metadata/labels/z', value: '2' },
      ],
      'json',
    );
    assert.deepEqual(at(patched.body, 'data'), { a: '9', c: '9', d: '2' });
    assert.deepEqual(at(patched.body, 'metadata.labels'), { z: '2' });
    const failing = [
      { op: 'remove', path: '/data/a' },
      { op: 'test', path: '/data/c', value: 'other' },
    ];
    assert.equal(outcome(await world.admin.patch(path, failing, 'json')), '422 Invalid');
    assert.equal(at((await world.admin.get(path)).body, 'data.a'), '9');
  });

  test('a JSON patch may replace what is not there', async () => {
    const path = await make({ data: { a: '1' } });
    const patch = [{ op: 'replace', path: '/data/b', value: '2' }];
    const { body } = await world.admin.patch(path, patch, 'json');
    assert.deepEqual(at(body, 'data'), { a: '1', b: '2' });
  });

  test('what a JSON patch cannot do', async () => {
    const path = await make({ data: { a: '1' } });
    const outcomes = await Promise.all(
      [
        [{ op: 'remove', path: '/data/b' }],
        [{ op: 'add', path: '/nothing/b', value: '1' }],
        [{ op: 'jump', path: '/data/a' }],
        [{ op: 'test', path: '/data/a', value: '2' }],
      ].map(async (patch) => outcome(await world.admin.patch(path, patch, 'json'))),
    );
    assert.deepEqual(outcomes, Array(4).fill('422 Invalid'));
  });

  test('a strategic merge patch merges lists by their keys', async () => {
    const services = `/api/v1/namespaces/${await world.namespace()}/services`;
    await world.admin.post(services, {
      metadata: { name: 'a', finalizers: ['example.com/one'] },
      spec: { ports: [{ name: 'http', port: 80 }] },
    });
    const patch = (body: JsonObject) => world.admin.patch(`${services}/a`, body, 'strategic');
    const added = await patch({
      metadata: { finalizers: ['example.com/two'] },
      spec: {
        ports: [
          { name: 'https', port: 443 },
          { port: 80, targetPort: 8080 },
        ],
      },
    });
    const finalizers = at(added.body, 'metadata.finalizers') as string[];
    assert.deepEqual(finalizers.toSorted(), ['example.com/one', 'example.com/two']);
    const ports = at(added.body, 'spec.ports') as JsonObject[];
    assert.deepEqual(
      ports.map(({ name, port, targetPort }) => [name, port, targetPort]).toSorted(),
      [
        ['http', 80, 8080],
        ['https', 443, 443],
      ],
    );
    const removed = await patch({
      metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/one', 'example.com/two'] },
      spec: { ports: [{ $patch: 'delete', port: 80 }] },
    });
    assert.equal(at(removed.body, 'metadata.finalizers'), undefined);
    assert.deepEqual(
      (at(removed.body, 'spec.ports') as JsonObject[]).map(({ port }) => port),
      [443],
    );
    const replaced = await patch({ spec: { ports: [{ port: 81 }, { $patch: 'replace' }] } });
    assert.deepEqual(
      (at(replaced.body, 'spec.ports') as JsonObject[]).map(({ port }) => port),
      [81],
    );
  });

  test('a merge patch replaces lists', async () => {
    const services = `/api/v1/namespaces/${await world.namespace()}/services`;
    await world.admin.post(services, {
      metadata: { name: 'a' },
      spec: { ports: [{ name: 'http', port: 80 }] },
    });
    const { body } = await world.admin.patch(`${services}/a`, { spec: { ports: [{ port: 81 }] } });
    assert.deepEqual(at(body, 'spec.ports'), [{ protocol: 'TCP', port: 81, targetPort: 81 }]);
  });

  test('a patch changes neither identity nor birth', async () => {
    const path = await make();
    const before = await world.admin.get(path);
    const patch = (metadata: JsonObject) => world.admin.patch(path, { metadata });
    assert.equal(outcome(await patch({ name: 'b' })), '400 BadRequest');
    assert.equal(outcome(await patch({ namespace: 'default' })), '400 BadRequest');
    assert.equal(outcome(await patch({ uid: 'another' })), '422 Invalid');
    assert.equal(
      outcome(await patch({ deletionTimestamp: '2020-01-01T00:00:00Z' })),
      '422 Invalid',
    );
    await patch({ creationTimestamp: '2020-01-01T00:00:00Z', generation: 9 });
    assert.deepEqual((await world.admin.get(path)).body, before.body);
  });

  test('patches that are none', async () => {
    const path = await make();
    const send = async (body: unknown, type: string) =>
      outcome(await world.admin.send('PATCH', path, body, type));
    assert.equal(await send({}, 'application/json'), '415 UnsupportedMediaType');
    assert.equal(await send('nonsense', patchTypes.merge), '400 BadRequest');
    assert.equal(await send({}, patchTypes.json), '400 BadRequest');
    assert.equal(await send([], patchTypes.merge), '400 BadRequest');
    assert.equal(await send({ data: { n: 1 } }, patchTypes.merge), '422 Invalid');
    assert.equal(await send({ data: { n: 1 } }, patchTypes.strategic), '422 Invalid');
    const missing = `${path}-missing`;
    assert.equal(outcome(await world.admin.patch(missing, {})), '404 NotFound');
  });
}
