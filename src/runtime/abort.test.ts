import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAbort } from './abort.ts';

test('an error is an abort only if the signal was aborted and the error says so', () => {
  const controller = new AbortController();
  const named = new DOMException('This operation was aborted', 'AbortError');
  assert.equal(isAbort(named, controller.signal), false);
  controller.abort('no longer needed');
  assert.equal(isAbort('no longer needed', controller.signal), true);
  assert.equal(isAbort(named, controller.signal), true);
  assert.equal(isAbort(new Error('broken'), controller.signal), false);
  assert.equal(isAbort('AbortError', controller.signal), false);
});
