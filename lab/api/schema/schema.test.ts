import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../json.ts';
import { compileSchema } from './compile-schema.ts';
import { hasFormat } from './formats.ts';
import { pruneNulls, pruneUnknown } from './prune.ts';
import { setSchemaDefaults } from './set-defaults.ts';
import { validateValue } from './validate-value.ts';

const object = (properties: JsonObject, more = {}) => ({ type: 'object', properties, ...more });

function prune(schema: JsonObject, value: Json) {
  const dropped: string[] = [];
  const kept = pruneUnknown(compileSchema(object({ spec: schema })), { spec: value }, dropped);
  return { kept: (kept as JsonObject)['spec'], dropped };
}

test('unknown fields go, at every depth, unless they are to be kept', () => {
  const inner = object({ a: { type: 'string' } });
  const schema = object({
    list: { type: 'array', items: inner },
    map: { type: 'object', additionalProperties: inner },
    free: object({ a: inner }, { 'x-kubernetes-preserve-unknown-fields': true }),
    whole: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: inner } },
  });
  const part = { a: '1', b: '2' };
  assert.deepEqual(
    prune(schema, {
      list: [part],
      map: { x: part },
      free: { a: part, c: part },
      other: 1,
      whole: { kind: 'X', metadata: {}, spec: part, y: 1 },
    }),
    {
      kept: {
        list: [{ a: '1' }],
        map: { x: { a: '1' } },
        free: { a: { a: '1' }, c: part },
        whole: { kind: 'X', metadata: {}, spec: { a: '1' } },
      },
      dropped: [
        'spec.other',
        'spec.list[0].b',
        'spec.map.x.b',
        'spec.free.a.b',
        'spec.whole.y',
        'spec.whole.spec.b',
      ],
    },
  );
});

test('null is absence, where it is not a value', () => {
  const schema = compileSchema(
    object({
      a: { type: 'string' },
      b: { type: 'string', nullable: true },
      c: object({ d: { type: 'string' } }),
    }),
  );
  assert.deepEqual(pruneNulls(schema, { a: null, b: null, c: { d: null } }), { b: null, c: {} });
});

test('defaults reach into defaults, lists and maps', () => {
  const inner = object({ x: { type: 'string', default: 'y' } });
  const schema = compileSchema(
    object({
      a: { ...inner, default: {} },
      list: { type: 'array', items: inner },
      map: { type: 'object', additionalProperties: inner },
      absent: inner,
      zero: { type: 'integer', default: 0 },
    }),
  );
  const value: JsonObject = { list: [{}, { x: 'z' }], map: { k: {} } };
  setSchemaDefaults(schema, value);
  assert.deepEqual(value, {
    a: { x: 'y' },
    list: [{ x: 'y' }, { x: 'z' }],
    map: { k: { x: 'y' } },
    zero: 0,
  });
});

function complaints(schema: JsonObject, value: Json, old?: Json): readonly string[] {
  return validateValue(compileSchema(schema), value, old, 'spec').map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

test('combined schemas', () => {
  const either = { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] };
  assert.deepEqual(complaints(either, { a: 1 }), []);
  assert.deepEqual(complaints(either, { a: 1, b: 1 }), [
    '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ]);
  assert.equal(complaints({ type: 'object', anyOf: [{ required: ['a'] }] }, {}).length, 2);
  assert.equal(complaints({ type: 'string', not: { enum: ['x'] } }, 'x').length, 1);
  assert.equal(complaints({ type: 'integer', allOf: [{ minimum: 3 }] }, 2).length, 1);
});

test('what was wrong before is not held against a change beside it', () => {
  const schema = object({ a: { type: 'integer', maximum: 1 }, b: { type: 'integer', maximum: 1 } });
  assert.deepEqual(complaints(schema, { a: 9, b: 1 }, { a: 9, b: 0 }), []);
  assert.equal(complaints(schema, { a: 8, b: 1 }, { a: 9, b: 1 }).length, 1);
  const keyed = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: object({ k: { type: 'string' }, v: { type: 'integer', maximum: 1 } }),
  };
  const old = [{ k: 'a', v: 9 }];
  assert.deepEqual(
    complaints(
      keyed,
      [
        { k: 'b', v: 1 },
        { k: 'a', v: 9 },
      ],
      old,
    ),
    [],
  );
  const loose = { ...keyed, 'x-kubernetes-list-type': 'atomic' };
  assert.equal(
    complaints(
      loose,
      [
        { k: 'b', v: 1 },
        { k: 'a', v: 9 },
      ],
      old,
    ).length,
    1,
  );
});

test('numbers out of range for their format', () => {
  assert.equal(complaints({ type: 'integer', format: 'int32' }, 2 ** 31 - 1).length, 0);
  assert.equal(complaints({ type: 'integer', format: 'int32' }, 2 ** 31).length, 1);
  assert.equal(complaints({ type: 'integer', format: 'int32' }, -(2 ** 31)).length, 0);
  assert.equal(complaints({ type: 'number' }, 1).length, 0);
});

test('formats', () => {
  const table: Readonly<Record<string, readonly [good: string, bad: string]>> = {
    'date-time': ['2026-01-01T00:00:00Z', '2026-01-01'],
    date: ['2026-01-01', '01.01.2026'],
    duration: ['1h30m', '90 minutes'],
    ipv4: ['192.0.2.1', '2001:db8::1'],
    ipv6: ['2001:db8::1', '192.0.2.1'],
    cidr: ['192.0.2.0/24', '192.0.2.0'],
    mac: ['00:00:5e:00:53:01', '00:00:5e'],
    uuid: ['12345678-1234-1234-1234-123456789abc', 'x'],
  };
  for (const [format, [good, bad]] of Object.entries(table)) {
    assert.ok(hasFormat(good, format), format);
    assert.ok(!hasFormat(bad, format), format);
  }
  assert.ok(hasFormat('anything', 'unheard-of'));
});
