import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../runtime/manual-clock.ts';
import { PolicyReverts } from './policy-reverts.ts';

function watching() {
  const clock = new ManualClock();
  const reverts = new PolicyReverts(clock);
  const revertAfter = async (seconds: number) => {
    await clock.advance(seconds * 1000);
    reverts.noteLocal('shop/web');
  };
  return { clock, reverts, revertAfter, count: () => reverts.counts().get('shop/web') ?? 0 };
}

test('a Service that was never rewritten has nothing set back', () => {
  const { reverts, count } = watching();
  reverts.noteLocal('shop/web');
  assert.equal(count(), 0);
  assert.equal(reverts.nextChangeAt(), Infinity);
});

test('what is set back within a minute counts', async () => {
  const { clock, reverts, revertAfter, count } = watching();
  reverts.noteRewrite('shop/web');
  await revertAfter(1);
  await revertAfter(40);
  assert.equal(count(), 2);
  await clock.advance(20_000);
  assert.equal(count(), 1);
  assert.equal(reverts.nextChangeAt(), 101_000);
  await clock.advance(40_000);
  assert.equal(count(), 0);
});

test('three times in a minute count until it has been quiet for ten', async () => {
  const { clock, reverts, revertAfter, count } = watching();
  reverts.noteRewrite('shop/web');
  for (const seconds of [1, 10, 10]) await revertAfter(seconds);
  assert.equal(count(), 3);
  await clock.advance(599_000);
  assert.equal(count(), 3);
  assert.equal(reverts.nextChangeAt(), 621_000);
  await clock.advance(1_000);
  assert.equal(count(), 0);
});

test('a Service that is gone is forgotten', async () => {
  const { reverts, revertAfter, count } = watching();
  reverts.noteRewrite('shop/web');
  await revertAfter(1);
  reverts.forget('shop/web');
  assert.equal(count(), 0);
});

test('who gave up does so until it is quiet, however rare the next ones are', async () => {
  const { clock, reverts, revertAfter, count } = watching();
  reverts.noteRewrite('shop/web');
  for (const seconds of [1, 1, 1, 500, 500, 500, 500]) await revertAfter(seconds);
  assert.equal(count(), 3);
  await clock.advance(600_000);
  assert.equal(count(), 0);
  await revertAfter(1);
  assert.equal(count(), 1);
});

test('who toggles a policy for days does not fill the memory', async () => {
  const { clock, reverts } = watching();
  reverts.noteRewrite('shop/web');
  for (let index = 0; index < 100_000; index += 1) reverts.noteLocal('shop/web');
  const startedAt = process.cpuUsage().user;
  for (let index = 0; index < 1_000; index += 1) reverts.counts();
  // Looking at all of them each time would take seconds.
  assert.ok(process.cpuUsage().user - startedAt < 500_000);
  await clock.advance(600_000);
  assert.deepEqual([...reverts.counts()], []);
});
