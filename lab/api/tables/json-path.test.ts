import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonPath } from './json-path.ts';

const object = {
  spec: { name: 'a', list: [1, 2, 3], 'with.dot': 'dotted' },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
};

test('a path finds what it names, and nothing where it ends early', () => {
  const found = (path: string) => parseJsonPath(path)?.(object);
  assert.deepEqual(found('.spec.name'), ['a']);
  assert.deepEqual(found('.spec.list[1]'), [2]);
  assert.deepEqual(found('.spec.list[-1]'), [3]);
  assert.deepEqual(found('.spec.list[*]'), [1, 2, 3]);
  assert.deepEqual(found(".spec['with.dot']"), ['dotted']);
  assert.deepEqual(found('.spec.with\\.dot'), ['dotted']);
  assert.deepEqual(found('.status.conditions[?(@.type=="Ready")].status'), ['True']);
  assert.deepEqual(found(".status.conditions[?(@.type != 'Ready')].status"), ['False']);
  assert.deepEqual(found('.status.missing.name'), []);
});

test('what is no path is told apart from what finds nothing', () => {
  assert.equal(parseJsonPath('.spec[?('), undefined);
  assert.equal(parseJsonPath('.spec..'), undefined);
});
