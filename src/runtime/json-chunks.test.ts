import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonChunks } from './json-chunks.ts';

const written = (value: unknown) => [...jsonChunks(value)].join('');

test('the text is that of JSON.stringify, for any value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      assert.equal(written(value), `${JSON.stringify(value, null, 2)}\n`);
    }),
  );
});

test('undefined fields are left out, undefined items are null, bigints are text', () => {
  const value = { a: undefined, b: [undefined, { c: undefined, d: 2n ** 64n }], e: new Date(0) };
  const same = { b: [null, { d: '18446744073709551616' }], e: '1970-01-01T00:00:00.000Z' };
  assert.equal(written(value), `${JSON.stringify(same, null, 2)}\n`);
  assert.equal(written(undefined), 'null\n');
});

test('an iterable is an array, at any depth above the last', () => {
  function* numbers() {
    yield 1;
    yield { two: [2] };
  }
  const value = { none: new Set(), some: numbers(), in: { deep: numbers() } };
  const same = { none: [], some: [1, { two: [2] }], in: { deep: [1, { two: [2] }] } };
  assert.equal(written(value), `${JSON.stringify(same, null, 2)}\n`);
});

test('a long list is never one text: items are asked for as the text is read', () => {
  let asked = 0;
  function* items() {
    for (; asked < 100_000; asked += 1) yield { number: asked, text: 'x'.repeat(100) };
  }
  let longest = 0;
  let chunks = 0;
  for (const chunk of jsonChunks({ items: items() })) {
    chunks += 1;
    longest = Math.max(longest, chunk.length);
    assert.ok(asked <= chunks * 200, `${asked} items for ${chunks} chunks`);
  }
  assert.equal(asked, 100_000);
  assert.ok(longest < 17_000, `${longest}`);
});
