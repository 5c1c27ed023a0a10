import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../json.ts';
import { parseTypes, readBuiltInTypes } from './built-in-types.ts';
import { DecodeError } from './decode-error.ts';
import { decodeTyped } from './decode-typed.ts';

const schema = parseTypes(`x.v1.Root
  always string
  bytes? bytes
  list []string atomic
  map? map[]string
  micro* meta.v1.MicroTime
  number? int32
  pointer* int32
  port? util.intstr.IntOrString
  shown! x.v1.Inner
  struct x.v1.Inner
  time* meta.v1.Time
x.v1.Inner
  word? string
`).get('x.v1.Root') ?? { type: 'any' };

const read = (value: JsonObject) => decodeTyped(schema, value);
const empty = { always: '', list: null, shown: null, struct: {} };

test('zero values are printed, left out, or kept, as the type says', () => {
  assert.deepEqual(read({}).value, empty);
  assert.deepEqual(read({ always: null, number: 0, pointer: 0, map: {}, list: [] }).value, {
    ...empty,
    list: [],
    pointer: 0,
  });
  assert.deepEqual(read({ shown: {}, port: 0, struct: { word: '' } }).value, {
    ...empty,
    shown: {},
    port: 0,
  });
});

test('unknown fields are reported in the order of the text', () => {
  const { unknown } = read({ z: 1, struct: { y: 1 }, list: [], a: 2 });
  assert.deepEqual(unknown, ['z', 'struct.y', 'a']);
});

test('wrong types are refused as a Go program would', () => {
  const why = (value: JsonObject) => {
    try {
      read(value);
      return 'taken';
    } catch (error) {
      assert.ok(error instanceof DecodeError);
      return error.message;
    }
  };
  const field = 'into Go struct field';
  assert.equal(
    why({ always: 1 }),
    `json: cannot unmarshal number ${field} Root.always of type string`,
  );
  assert.equal(
    why({ struct: { word: [] } }),
    `json: cannot unmarshal array ${field} Inner.struct.word of type string`,
  );
  assert.equal(
    why({ number: 3_000_000_000 }),
    `json: cannot unmarshal number 3000000000 ${field} Root.number of type int32`,
  );
  assert.notEqual(why({ number: 1.5 }), 'taken');
  assert.notEqual(why({ port: true }), 'taken');
  assert.notEqual(why({ bytes: 'a$' }), 'taken');
  assert.notEqual(why({ list: {} }), 'taken');
  assert.notEqual(why({ map: { a: 1 } }), 'taken');
});

test('times are brought to UTC, with seconds or with six digits', () => {
  const { value } = read({
    time: '2026-01-01T01:00:00.5+01:00',
    micro: '2026-01-01T01:00:00.123456+01:00',
  });
  assert.equal(value['time'], '2026-01-01T00:00:00Z');
  assert.equal(value['micro'], '2026-01-01T00:00:00.123456Z');
  assert.throws(() => read({ micro: '2026-01-01T00:00:00.123Z' }), DecodeError);
  assert.throws(() => read({ time: 'yesterday' }), DecodeError);
});

test('the table of built-in types is read whole', () => {
  const types = readBuiltInTypes();
  const spec = types.get('core.v1.ServiceSpec');
  assert.deepEqual(spec?.fields?.get('ports')?.schema.listKeys, ['port', 'protocol']);
  assert.equal(spec?.fields?.get('ports')?.mergeKey, 'port');
  assert.equal(spec?.fields?.get('selector')?.schema.isAtomic, true);
  assert.equal(spec?.fields?.get('loadBalancerClass')?.presence, 'pointer');
  assert.equal(types.get('core.v1.ServicePort')?.fields?.get('protocol')?.default, 'TCP');
});
