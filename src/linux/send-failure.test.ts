import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendFailureOf } from './send-failure.ts';

test('each errno of a packet socket has its meaning', () => {
  const errnos = [100, 6, 19, 105, 11, 1, 13, 90];
  assert.deepEqual(
    errnos.map((errno) => sendFailureOf(errno).reason),
    [
      'link-down',
      'link-gone',
      'link-gone',
      'no-buffer-space',
      'no-buffer-space',
      'not-permitted',
      'not-permitted',
      'other',
    ],
  );
  assert.deepEqual(sendFailureOf(90), { kind: 'failed', reason: 'other', errno: 90 });
});
