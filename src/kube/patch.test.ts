import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addFinalizer, removeFinalizer } from './finalizer.ts';
import { onlyIfUnchanged, pointerStep } from './patch.ts';

const object = {
  metadata: { name: 'a', uid: 'u', resourceVersion: '7', finalizers: ['theirs', 'ours'] },
};

test('a patch may hold only for the object, or the very version, that it was made from', () => {
  const body = { metadata: { annotations: { a: 'b' } }, spec: null };
  assert.deepEqual(onlyIfUnchanged(object, body), {
    metadata: { annotations: { a: 'b' }, uid: 'u', resourceVersion: '7' },
    spec: null,
  });
  assert.deepEqual(onlyIfUnchanged(object, {}, 'uid'), { metadata: { uid: 'u' } });
  assert.throws(() => onlyIfUnchanged({ metadata: { name: 'a' } }, {}), /without resourceVersion/);
});

test('a finalizer is added once and removed alone, bound to the version it was seen in', () => {
  const bound = { uid: 'u', resourceVersion: '7' };
  assert.equal(addFinalizer(object, 'ours'), undefined);
  assert.deepEqual(addFinalizer(object, 'new'), {
    metadata: { finalizers: ['theirs', 'ours', 'new'], ...bound },
  });
  assert.deepEqual(removeFinalizer(object, 'ours'), {
    metadata: { finalizers: ['theirs'], ...bound },
  });
  assert.equal(removeFinalizer(object, 'none'), undefined);
  const last = { metadata: { ...object.metadata, finalizers: ['ours'] } };
  assert.deepEqual(removeFinalizer(last, 'ours'), { metadata: { finalizers: null, ...bound } });
});

test('a step of a JSON pointer escapes slashes and tildes', () => {
  assert.equal(pointerStep('purelb.io/a~b'), 'purelb.io~1a~0b');
});
