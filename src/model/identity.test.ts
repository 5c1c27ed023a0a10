import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { keyOf, readIdentity, readTexts } from './identity.ts';

test('who an object is stands in its metadata', () => {
  const metadata = {
    namespace: 'shop',
    name: 'web',
    uid: 'u-1',
    resourceVersion: '42',
    generation: 3,
    creationTimestamp: '1970-01-01T00:00:05Z',
    deletionTimestamp: '1970-01-01T00:00:06Z',
    managedFields: [],
  };
  assert.deepEqual(read(metadata, readIdentity), {
    value: {
      namespace: 'shop',
      name: 'web',
      uid: 'u-1',
      resourceVersion: '42',
      generation: 3,
      createdAt: 5000,
      isDeleting: true,
    },
    warnings: [],
  });
});

test('an object needs a name and nothing else', () => {
  assert.deepEqual(read({ name: 'web' }, readIdentity), {
    value: {
      namespace: '',
      name: 'web',
      uid: '',
      resourceVersion: '',
      generation: 0,
      createdAt: 0,
      isDeleting: false,
    },
    warnings: [],
  });
  for (const metadata of [undefined, null, {}, [], { name: 1 }, { name: '' }, 'web']) {
    assert.ok('problems' in read(metadata, readIdentity), JSON.stringify(metadata));
  }
});

test('a key names the namespace where there is one', () => {
  assert.equal(keyOf({ namespace: 'shop', name: 'web' }), 'shop/web');
  assert.equal(keyOf({ namespace: '', name: 'node1' }), 'node1');
});

test('labels of any name are kept, values that are no text refused', () => {
  const labels: unknown = JSON.parse('{"__proto__": "p", "constructor": "c"}');
  assert.deepEqual(read(labels, readTexts), {
    value: new Map([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ]),
    warnings: [],
  });
  assert.deepEqual(read({ a: 1 }, readTexts), {
    problems: [{ path: 'a', message: 'must be text, not 1' }],
    warnings: [],
  });
});
