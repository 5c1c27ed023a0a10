import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../json.ts';
import { parseTypes } from '../types/built-in-types.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { MergeKeyError, PatchError } from './patch-error.ts';
import { applyStrategicPatch } from './strategic-merge-patch.ts';

test('merge patch: the examples of RFC 7396, appendix A', () => {
  const table: readonly (readonly [Json, Json, Json])[] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [target, patch, expected] of table) {
    assert.deepEqual(applyMergePatch(target, patch), expected);
  }
});

test('merge patch: twice is the same as once', () => {
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }));
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const once = applyMergePatch(target as Json, patch as Json);
      assert.deepEqual(applyMergePatch(once, patch as Json), once);
    }),
  );
});

test('JSON patch: operations of RFC 6902', () => {
  const table: readonly (readonly [JsonObject, JsonObject[], Json])[] = [
    [
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    [{ foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: 'qux' }], { foo: ['bar', 'qux'] }],
    [{ foo: ['a', 'b', 'c'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['a', 'c'] }],
    [
      { foo: ['a', 'b', 'c'] },
      [{ op: 'move', from: '/foo/0', path: '/foo/2' }],
      { foo: ['b', 'c', 'a'] },
    ],
    [
      { 'a/b': 1, '~c': 2 },
      [
        { op: 'replace', path: '/a~1b', value: 9 },
        { op: 'remove', path: '/~0c' },
      ],
      { 'a/b': 9 },
    ],
    [{ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
  ];
  for (const [target, patch, expected] of table) {
    const before = structuredClone(target);
    assert.deepEqual(applyJsonPatch(target, patch), expected);
    assert.deepEqual(target, before, 'the original stays as it was');
  }
});

test('JSON patch: what cannot be done', () => {
  for (const operation of [
    { op: 'remove', path: '/missing' },
    { op: 'add', path: '/list/9', value: 1 },
    { op: 'replace', path: '/list/9', value: 1 },
    { op: 'add', path: 'list', value: 1 },
    { op: 'test', path: '/list', value: [] },
    { op: 'move', from: '/missing', path: '/a' },
    { op: 'add', path: '/list/01', value: 1 },
  ]) {
    assert.throws(() => applyJsonPatch({ list: [1] }, [operation]), PatchError, operation.op);
  }
});

const types = parseTypes(`x.v1.Root
  finalizers? []string set merge
  free? []string atomic
  inner* x.v1.Item retainKeys
  items? []x.v1.Item map(name) merge(name)
x.v1.Item
  name string
  value? string
`);
const schema = types.get('x.v1.Root');

function strategic(target: JsonObject, patch: JsonObject): JsonObject {
  return applyStrategicPatch(schema, target, patch);
}

const item = (name: string, value: string) => ({ name, value });

test('strategic merge patch: lists merge by key, or are replaced', () => {
  const target = { items: [item('a', '1'), item('b', '1')], free: ['x'], finalizers: ['one'] };
  assert.deepEqual(
    strategic(target, {
      items: [item('b', '2'), item('c', '2')],
      free: ['y'],
      finalizers: ['two', 'one'],
    }),
    {
      items: [item('a', '1'), item('b', '2'), item('c', '2')],
      free: ['y'],
      finalizers: ['two', 'one'],
    },
  );
});

test('strategic merge patch: what the patch names comes in its order', () => {
  const names = (patch: readonly string[]) => {
    const items = [item('a', '1'), item('b', '1')];
    const merged = strategic({ items }, { items: patch.map((name) => item(name, '2')) });
    return (merged['items'] as JsonObject[]).map(({ name }) => name).join('');
  };
  assert.equal(names(['c', 'a']), 'cab');
  assert.equal(names(['b', 'c']), 'abc');
  assert.equal(names(['c']), 'cab');
});

test('strategic merge patch: directives', () => {
  const items = [item('a', '1'), item('b', '1'), item('c', '1')];
  const names = (patch: JsonObject) =>
    (strategic({ items, finalizers: ['one', 'two'] }, patch)['items'] as JsonObject[])
      .map(({ name }) => name)
      .join('');
  assert.equal(names({ items: [{ name: 'b', $patch: 'delete' }] }), 'ac');
  assert.equal(names({ items: [{ $patch: 'replace' }, item('z', '1')] }), 'z');
  const order = [{ name: 'c' }, { name: 'a' }, { name: 'b' }];
  assert.equal(names({ '$setElementOrder/items': order }), 'cab');
  assert.deepEqual(
    strategic({ finalizers: ['one', 'two'] }, { '$deleteFromPrimitiveList/finalizers': ['one'] }),
    { finalizers: ['two'] },
  );
  assert.deepEqual(
    strategic({ inner: item('a', '1') }, { inner: { $retainKeys: ['name'], name: 'b' } }),
    { inner: { name: 'b' } },
  );
  assert.deepEqual(
    strategic({ inner: item('a', '1') }, { inner: { $patch: 'replace', name: 'c' } }),
    {
      inner: { name: 'c' },
    },
  );
  assert.throws(() => strategic({}, { items: [{ value: 'x' }] }), MergeKeyError);
});
