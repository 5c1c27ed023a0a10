import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../model/kube-object.ts';
import { dropManagedFields, parseJson } from './parse-json.ts';

const nasty = fc.oneof(
  fc.constantFrom(
    ',"managedFields":[',
    ']},"spec":',
    ']},',
    'a]},"b',
    '\\",\\"managedFields\\":[',
    ']',
    '"',
    '\\',
    '\\"]},',
    'ü→🜂',
  ),
  fc.string({ unit: 'grapheme' }),
);
/**
 * Names without a backslash: having met the name `\\`, V8 13.6 takes any escaped character in its place for it
 * (`[{"z":0,"\\\\":1},{"z":0,"\\u0041":1}]`). No name of a Kubernetes field, label or annotation has one.
 */
const fieldName = nasty.filter((text) => !text.includes('\\'));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    nasty,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(fieldName, tie('value')),
  ),
}));

/** What remains is as if it had been parsed whole and the fields removed after. */
function assertSame(items: readonly object[], text = JSON.stringify(items)): void {
  const plain = (JSON.parse(text) as KubeObject[]).map(dropManagedFields);
  const parsed = (parseJson(Buffer.from(text)) as KubeObject[]).map(dropManagedFields);
  assert.deepEqual(parsed, plain);
}

test('nothing but managedFields is ever left out, whatever stands in and around them', () => {
  const item = fc.record({ name: nasty, fields: fc.array(value), rest: value });
  fc.assert(
    fc.property(fc.array(item), fc.nat(3), (items, order) => {
      assertSame(
        items.map(({ name, fields, rest }) => {
          const last = { metadata: { name, managedFields: fields }, spec: rest, status: rest };
          const first = { metadata: { managedFields: fields, name }, spec: rest };
          const middle = { metadata: { name, managedFields: fields, uid: name }, spec: rest };
          const { metadata, ...others } = last;
          return [last, first, middle, { ...others, metadata }][order] ?? last;
        }),
      );
    }),
    { numRuns: 500 },
  );
});

test('managedFields as the server writes them are cut before parsing', () => {
  const entry = { manager: 'a', fieldsV1: { 'f:ports': { 'k:{"port":80,"x":[1]}': { '.': {} } } } };
  const object = { metadata: { name: 'a', managedFields: [entry, entry] }, spec: { b: [1] } };
  const bytes = Buffer.from(JSON.stringify({ items: [object, object] }));
  const clean = { metadata: { name: 'a' }, spec: { b: [1] } };
  assert.deepEqual(parseJson(bytes), { items: [clean, clean] });
});

test('a cut at the wrong place is noticed, and everything is parsed', () => {
  const entry = { list: { inner: [1] }, more: 'x' };
  const object = { metadata: { name: 'a', managedFields: [entry] }, spec: {} };
  assert.deepEqual(parseJson(Buffer.from(JSON.stringify(object))), object);
});

test('text that is no JSON is refused, with and without managedFields', () => {
  for (const broken of [
    '',
    '{',
    '<html>',
    '{"metadata":{"name":"a","managedFields":[{}]},"spec":',
  ]) {
    assert.throws(() => parseJson(Buffer.from(broken)), SyntaxError);
  }
});

test('what was not cut can be dropped from the object', () => {
  const pretty: KubeObject = JSON.parse('{ "metadata": { "name": "a", "managedFields": [ {} ] } }');
  assert.deepEqual(dropManagedFields(pretty), { metadata: { name: 'a' } });
});
