import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentName } from './content-name.ts';

test('the same content has the same name, other content another', () => {
  assert.equal(contentName({ a: [1] }), contentName({ a: [1] }));
  assert.notEqual(contentName({ a: [1] }), contentName({ a: [2] }));
  assert.match(contentName('x'), /^[0-9a-f]{12}$/);
});
