import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropFrames, lossExpression } from './drop-frames.ts';

test('a share of the frames is chosen by random numbers', () => {
  assert.equal(lossExpression(0.1), 'numgen random mod 10000 < 1000');
  assert.equal(lossExpression(1), 'numgen random mod 10000 < 10000');
});

test('a share that is none is refused', () => {
  for (const share of [0, -1, 1.1, Number.NaN]) assert.throws(() => lossExpression(share), /share/);
});

test('somebody must be named', async () => {
  await assert.rejects(dropFrames({ share: 0.5 }), /`from`, `to`, or both/);
});
