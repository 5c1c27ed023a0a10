import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt } from '../json.ts';
import type { World } from './contract-world.ts';
import { at, lines, outcome, versionOf } from './look.ts';

/** Following changes. */
export function watchesContract(world: World): void {
  const path = async () => `/api/v1/namespaces/${await world.namespace()}/configmaps`;
  const put = (configMaps: string, name: string, labels: Record<string, string> = {}) =>
    world.admin.post(configMaps, { metadata: { name, labels } });

  test('changes after a revision come in order, each once', async () => {
    const configMaps = await path();
    const from = versionOf(await put(configMaps, 'a'));
    await put(configMaps, 'b');
    const watch = await world.admin.watch(`${configMaps}?resourceVersion=${from}`);
    await world.admin.patch(`${configMaps}/a`, { data: { n: '1' } });
    await world.admin.delete(`${configMaps}/b`);
    const events = await watch.take(3);
    watch.close();
    assert.deepEqual(lines(events), ['ADDED b', 'MODIFIED a', 'DELETED b']);
    const versions = events.map(({ object }) => Number(at(object, 'metadata.resourceVersion')));
    assert.deepEqual(
      versions,
      [...versions].sort((left, right) => left - right),
    );
    assert.equal(at(events[0]?.object, 'kind'), 'ConfigMap');
  });

  test('a deletion shows the last state under the version of the deletion', async () => {
    const configMaps = await path();
    const created = await put(configMaps, 'a', { app: 'x' });
    const watch = await world.admin.watch(`${configMaps}?resourceVersion=${versionOf(created)}`);
    await world.admin.delete(`${configMaps}/a`);
    const [event] = await watch.take(1);
    watch.close();
    assert.equal(at(event?.object, 'metadata.labels.app'), 'x');
    assert.ok(Number(at(event?.object, 'metadata.resourceVersion')) > Number(versionOf(created)));
  });

  test('without a revision the present state comes first', async () => {
    const configMaps = await path();
    await put(configMaps, 'a');
    await put(configMaps, 'b');
    for (const query of ['', 'resourceVersion=0']) {
      const watch = await world.admin.watch(`${configMaps}?${query}`);
      assert.deepEqual(lines(await watch.take(2)).toSorted(), ['ADDED a', 'ADDED b']);
      watch.close();
    }
  });

  test('a streamed list ends with a bookmark', async () => {
    const configMaps = await path();
    await put(configMaps, 'a');
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const watch = await world.admin.watch(`${configMaps}?${query}&allowWatchBookmarks=true`);
    const [added, bookmark] = await watch.take(2);
    assert.equal(added?.type, 'ADDED');
    assert.equal(bookmark?.type, 'BOOKMARK');
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    assert.deepEqual(at(bookmark?.object, 'metadata.annotations'), annotations);
    assert.equal(at(bookmark?.object, 'kind'), 'ConfigMap');
    await put(configMaps, 'b');
    assert.deepEqual(lines(await watch.take(1)), ['ADDED b']);
    watch.close();
    const resumed = await world.admin.watch(
      `${configMaps}?resourceVersion=${textAt(bookmark?.object, 'metadata', 'resourceVersion')}`,
    );
    assert.deepEqual(lines(await resumed.take(1)), ['ADDED b']);
    resumed.close();
  });

  test('an object that leaves the selection is deleted for the watcher', async () => {
    const configMaps = await path();
    const from = versionOf(await put(configMaps, 'a'));
    const watch = await world.admin.watch(
      `${configMaps}?labelSelector=app%3Dx&resourceVersion=${from}`,
    );
    const label = (app: string | null) =>
      world.admin.patch(`${configMaps}/a`, { metadata: { labels: { app } } });
    await label('x');
    await world.admin.patch(`${configMaps}/a`, { data: { n: '1' } });
    await label('y');
    await label('z');
    await label('x');
    assert.deepEqual(lines(await watch.take(4)), ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a']);
    watch.close();
  });

  test('one object is watched by its name', async () => {
    const configMaps = await path();
    const from = versionOf(await put(configMaps, 'a'));
    const watch = await world.admin.watch(
      `${configMaps}?fieldSelector=metadata.name%3Db&resourceVersion=${from}`,
    );
    await world.admin.patch(`${configMaps}/a`, { data: { n: '1' } });
    await put(configMaps, 'b');
    assert.deepEqual(lines(await watch.take(1)), ['ADDED b']);
    watch.close();
  });

  test('the path of one object is read, not watched', async () => {
    const configMaps = await path();
    await put(configMaps, 'a');
    const answer = await world.admin.get(`${configMaps}/a?watch=1`);
    assert.equal(at(answer.body, 'kind'), 'ConfigMap');
  });

  test('a watch ends when its time is up', async () => {
    const watch = await world.admin.watch(`${await path()}?timeoutSeconds=1`);
    assert.equal(watch.status, 200);
    assert.deepEqual(await watch.rest(), []);
  });

  test('a watch from a forgotten revision says so in an event', async (t) => {
    const configMaps = await path();
    const from = versionOf(await put(configMaps, 'a'));
    await put(configMaps, 'b');
    await put(configMaps, 'c');
    if (!(await world.compact(t))) return;
    const watch = await world.admin.watch(`${configMaps}?resourceVersion=${from}`);
    const events = await watch.take(1);
    watch.close();
    assert.equal(events[0]?.type, 'ERROR');
    assert.equal(at(events[0]?.object, 'code'), 410);
    assert.equal(at(events[0]?.object, 'reason'), 'Expired');
  });

  test('a watch in all namespaces sees them all', async () => {
    const [one, two] = [await path(), await path()];
    const from = versionOf(await world.admin.get(one));
    const watch = await world.admin.watch(
      `/api/v1/configmaps?labelSelector=contract&resourceVersion=${from}`,
    );
    await put(one, 'a', { contract: 'all' });
    await put(two, 'a', { contract: 'all' });
    const namespaces = (await watch.take(2)).map(({ object }) => at(object, 'metadata.namespace'));
    watch.close();
    assert.deepEqual(namespaces, [one.split('/')[4], two.split('/')[4]]);
  });

  test('a watch from the future waits for it', async () => {
    const configMaps = await path();
    const now = Number(versionOf(await put(configMaps, 'a')));
    const watch = await world.admin.watch(
      `${configMaps}?resourceVersion=${now + 1_000_000}&timeoutSeconds=1`,
    );
    await put(configMaps, 'b');
    assert.deepEqual(await watch.rest(), []);
  });

  test('a revision that is no number is refused', async () => {
    const answer = await world.admin.get(`${await path()}?watch=1&resourceVersion=abc`);
    assert.equal(outcome(answer), '500');
  });
}
