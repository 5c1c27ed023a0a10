import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warn } from './note.ts';

test('a warning is said in the condition and as an Event alike', () => {
  assert.deepEqual(warn('mind this', 'NotInPool'), {
    text: 'mind this',
    event: { reason: 'ConfigurationWarning', message: 'mind this' },
    reason: 'NotInPool',
  });
  assert.equal('reason' in warn('mind this'), false);
});
