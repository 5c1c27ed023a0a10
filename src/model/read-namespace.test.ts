import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSurvives } from './hostile.fixture.ts';
import { must } from './parsed.ts';
import { readNamespace } from './read-namespace.ts';

const namespace = { metadata: { name: 'shop', uid: 'u', labels: { team: 'a' } } };

test('a namespace is its name, UID and labels', () => {
  const labels = new Map([['team', 'a']]);
  assert.deepEqual(must(readNamespace(namespace)), { name: 'shop', uid: 'u', labels });
  assert.deepEqual(must(readNamespace({ metadata: { name: 'shop' } })).labels, new Map());
});

test('no shape of object makes the reader fail', () => {
  assertSurvives(readNamespace, namespace);
});
