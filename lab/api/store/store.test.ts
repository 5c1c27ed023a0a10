import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../src/runtime/manual-clock.ts';
import type { ApiObject } from '../api-object.ts';
import { Compaction } from './compaction.ts';
import { Store } from './store.ts';

function object(name: string, value: string): ApiObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name }, value };
}

/** `a=1@2 b=1@3`: each key with its value and revision. */
function show(entries: Iterable<[string, ApiObject]>): string {
  return [...entries]
    .map(([key, stored]) => `${key}=${String(stored['value'])}@${stored.metadata.resourceVersion}`)
    .join(' ');
}

function filled() {
  const store = new Store();
  store.put('things', 'x/a', object('a', '1'));
  store.put('others', 'x/a', object('a', '1'));
  store.put('things', 'x/a', object('a', '2'));
  store.put('things', 'y/b', object('b', '1'));
  store.remove('things', 'x/a');
  return { store, things: store.collection('things') };
}

test('revisions go through all collections', () => {
  const { store, things } = filled();
  assert.equal(store.revision, 6);
  assert.equal(show(things.entries()), 'y/b=1@5');
  assert.equal(show(store.collection('others').entries()), 'x/a=1@3');
  assert.equal(things.size, 1);
});

test('the past can be read', () => {
  const { things } = filled();
  const at = (revision: number) => show(things.entries({ revision }));
  assert.deepEqual([1, 2, 3, 4, 5, 6].map(at), [
    '',
    'x/a=1@2',
    'x/a=1@2',
    'x/a=2@4',
    'x/a=2@4 y/b=1@5',
    'y/b=1@5',
  ]);
});

test('changes after a revision do not include it', () => {
  const { things } = filled();
  const after = (revision: number) =>
    things.changesAfter(revision).map((change) => change.revision);
  assert.deepEqual(after(1), [2, 4, 5, 6]);
  assert.deepEqual(after(3), [4, 5, 6]);
  assert.deepEqual(after(4), [5, 6]);
  assert.deepEqual(after(6), []);
});

test('keys come in order, from a place on and with a beginning', () => {
  const store = new Store();
  for (const key of ['b/1', 'a/2', 'a-x/1', 'a/1']) store.put('things', key, object(key, ''));
  const keys = (options: object) =>
    [...store.collection('things').entries(options)].map(([key]) => key).join(' ');
  assert.equal(keys({}), 'a-x/1 a/1 a/2 b/1');
  assert.equal(keys({ prefix: 'a/' }), 'a/1 a/2');
  assert.equal(keys({ after: 'a/1' }), 'a/2 b/1');
  assert.equal(keys({ prefix: 'a/', after: 'a/1' }), 'a/2');
});

test('what is stored cannot be changed by accident', () => {
  const { things } = filled();
  const stored = things.get('y/b');
  assert.throws(() => {
    if (stored !== undefined) stored.metadata.name = 'other';
  }, TypeError);
});

test('history is kept for five minutes at least', async () => {
  const clock = new ManualClock();
  const { store } = filled();
  const compaction = new Compaction(store, clock);
  store.put('things', 'z', object('z', '1'));
  const compactedAfter = async (ms: number) => {
    await clock.advance(ms);
    compaction.run();
    return store.compacted;
  };
  assert.equal(await compactedAfter(299_999), 0);
  assert.equal(await compactedAfter(1), 6);
  assert.equal(await compactedAfter(300_000), 7);
});

test('compaction keeps what is, and the last state before it', () => {
  const { store, things } = filled();
  store.compact(5);
  assert.equal(show(things.entries({ revision: 5 })), 'x/a=2@4 y/b=1@5');
  assert.deepEqual(
    things.changesAfter(5).map(({ revision }) => revision),
    [6],
  );
  store.compact();
  assert.equal(show(things.entries()), 'y/b=1@5');
  assert.equal(store.compacted, 6);
});
