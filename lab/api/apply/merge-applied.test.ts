import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { equalJson, type Json, type JsonObject } from '../json.ts';
import { parseTypes } from '../types/built-in-types.ts';
import { compareObjects } from './compare.ts';
import { difference, encodeFieldSet, isEmptySet, union } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { mergeApplied } from './merge-applied.ts';
import { removeItems } from './remove-items.ts';

const schema = parseTypes(`x.v1.Root
  items? []x.v1.Item map(key)
  labels? map[]string
  list? []string atomic
  set? []string set
  text? string
x.v1.Item
  key string
  value? string
`).get('x.v1.Root') ?? { type: 'any' };

const word = fc.constantFrom('a', 'b', 'c');
const items = fc.uniqueArray(fc.record({ key: word, value: word }, { requiredKeys: ['key'] }), {
  selector: ({ key }) => key,
  minLength: 1,
  maxLength: 3,
});
const objects = fc.record(
  {
    items,
    labels: fc.dictionary(word, word, { minKeys: 1, noNullPrototype: true }),
    list: fc.array(word),
    set: fc.uniqueArray(word, { minLength: 1 }),
    text: word,
  },
  { requiredKeys: [] },
);

test('items that only one side has stay where they stood', () => {
  const order = (live: string, config: string) =>
    (mergeApplied(schema, { set: [...live] }, { set: [...config] }) as { set: string[] }).set.join(
      '',
    );
  assert.equal(order('ab', 'c'), 'abc');
  assert.equal(order('b', 'cba'), 'cba');
  assert.equal(order('xab', 'ba'), 'xba');
});

test('an atomic list is replaced, a map is merged', () => {
  assert.deepEqual(
    mergeApplied(schema, { list: ['a'], labels: { a: '1' } }, { list: ['b'], labels: { b: '2' } }),
    { list: ['b'], labels: { a: '1', b: '2' } },
  );
});

test('after a merge nothing is left to apply', () => {
  fc.assert(
    fc.property(objects, objects, (live, config) => {
      const once = mergeApplied(schema, live as Json, config as Json);
      assert.ok(equalJson(mergeApplied(schema, once, config as Json), once));
    }),
  );
});

test('what differs after a merge lies within what was applied', () => {
  fc.assert(
    fc.property(objects, objects, (live, config) => {
      const merged = mergeApplied(schema, live as Json, config as Json);
      const { added, modified, removed } = compareObjects(schema, live as Json, merged);
      const wishes = fieldSetOf(schema, config as Json);
      const named = [...wishes.children.keys()];
      const changed = difference(union(added, modified), wishes);
      assert.ok(isEmptySet(removed));
      // The list or map that holds an applied part may itself be new.
      assert.ok([...changed.members].every((element) => named.includes(element)));
      assert.equal(changed.children.size, 0);
    }),
  );
});

test('removing what was applied leaves the rest', () => {
  const live: JsonObject = { labels: { a: '1' }, items: [{ key: 'a', value: '1' }], text: 'x' };
  const config: JsonObject = { labels: { b: '2' }, items: [{ key: 'b' }] };
  const merged = mergeApplied(schema, live, config) as JsonObject;
  assert.deepEqual(removeItems(schema, merged, fieldSetOf(schema, config)), live);
});

test('an item is owned with its keys, a map by its keys', () => {
  const set = fieldSetOf(schema, {
    items: [{ key: 'a', value: '1' }],
    labels: { b: '2' },
    list: ['c'],
    set: ['d'],
  });
  assert.deepEqual(encodeFieldSet(set), {
    'f:items': { 'k:{"key":"a"}': { '.': {}, 'f:key': {}, 'f:value': {} } },
    'f:labels': { 'f:b': {} },
    'f:list': {},
    'f:set': { 'v:"d"': {} },
  });
});
