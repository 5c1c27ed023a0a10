import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBucket } from './token-bucket.ts';

test('a burst passes, and then so many a second', () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 3 }, 1_000);
  const passed = (at: number) => [1, 2, 3, 4, 5].filter(() => bucket.take(at)).length;
  assert.equal(passed(1_000), 3);
  assert.equal(passed(1_050), 0);
  assert.equal(passed(1_100), 1);
  assert.equal(passed(60_000), 3);
});
