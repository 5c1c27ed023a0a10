import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decodeFieldSet,
  difference,
  encodeFieldSet,
  equalSets,
  type FieldSet,
  FieldSetBuilder,
  intersection,
  isEmptySet,
  recursiveDifference,
  renderPaths,
  union,
} from './field-set.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"key":"x"}', 'v:"y"');
const sets = fc
  .array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 8 })
  .map((paths): FieldSet => {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path);
    return builder.build();
  });

test('a set survives being written down', () => {
  fc.assert(
    fc.property(sets, (set) => {
      assert.ok(equalSets(decodeFieldSet(encodeFieldSet(set)), set));
    }),
  );
});

test('the laws of sets hold', () => {
  fc.assert(
    fc.property(sets, sets, (left, right) => {
      assert.ok(equalSets(union(left, right), union(right, left)));
      assert.ok(equalSets(intersection(left, right), intersection(right, left)));
      assert.ok(isEmptySet(intersection(difference(left, right), right)));
      const parts = union(difference(left, right), intersection(left, right));
      assert.ok(equalSets(parts, left));
      assert.ok(isEmptySet(difference(recursiveDifference(left, right), left)));
    }),
  );
});

test('paths read as in messages', () => {
  const set = decodeFieldSet({
    'f:spec': {
      'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {} } },
      'f:type': {},
    },
    'f:metadata': { 'f:finalizers': { 'v:"a"': {} } },
  });
  assert.deepEqual(renderPaths(set), [
    '.metadata.finalizers[="a"]',
    '.spec.ports[port=80,protocol="TCP"]',
    '.spec.ports[port=80,protocol="TCP"].name',
    '.spec.type',
  ]);
});
