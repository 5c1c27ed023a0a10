import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  cloneJson,
  equalJson,
  freezeJson,
  isRawNumber,
  type Json,
  parseJson,
  valueAt,
} from './json.ts';

test('whole numbers beyond 2^53 keep every digit', () => {
  const text = '{"big":9223372036854775807,"list":[-9007199254740993],"small":7,"float":1.5e300}';
  assert.equal(JSON.stringify(parseJson(text)), text.replace('1.5e300', '1.5e+300'));
  assert.ok(isRawNumber(valueAt(parseJson(text), 'big')));
  assert.equal(valueAt(parseJson(text), 'small'), 7);
});

test('big numbers are compared by their digits', () => {
  const [one, same, other] = [
    '12345678901234567890',
    '12345678901234567890',
    '12345678901234567891',
  ].map(parseJson);
  assert.ok(equalJson(one, same));
  assert.ok(!equalJson(one, other));
});

test('what is absent equals what is undefined, and nothing else', () => {
  assert.ok(equalJson({ a: 1, b: undefined }, { a: 1 }));
  assert.ok(equalJson({ a: 1 }, { a: 1, b: undefined }));
  assert.ok(!equalJson({ a: 1, b: null }, { a: 1 }));
  assert.ok(!equalJson({ a: 1 }, { a: 1, b: 2 }));
  assert.ok(!equalJson([1, 2], [1]));
  assert.ok(!equalJson({}, []));
});

test('a field called __proto__ is copied like any other', () => {
  const original = parseJson('{"__proto__":{"a":{}},"b":1}');
  assert.equal(JSON.stringify(cloneJson(original)), '{"__proto__":{"a":{}},"b":1}');
  assert.ok(equalJson(cloneJson(original), original));
});

test('a copy equals its original and shares nothing with it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const original = freezeJson(value as Json);
      const copy = cloneJson(original);
      assert.ok(equalJson(copy, original));
      if (typeof copy === 'object' && copy !== null) assert.ok(!Object.isFrozen(copy));
    }),
  );
});
