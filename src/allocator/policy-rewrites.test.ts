import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../runtime/manual-clock.ts';
import { PolicyRewrites } from './policy-rewrites.ts';

function watching() {
  const clock = new ManualClock();
  const rewrites = new PolicyRewrites(clock);
  const revertAfter = async (seconds: number) => {
    await clock.advance(seconds * 1000);
    rewrites.noteLocal('shop/web');
  };
  return {
    clock,
    rewrites,
    revertAfter,
    count: () => rewrites.known().get('shop/web')?.setbacks ?? 0,
  };
}

test('a Service that was never rewritten has nothing set back', () => {
  const { rewrites, count } = watching();
  rewrites.noteLocal('shop/web');
  assert.equal(count(), 0);
  assert.equal(rewrites.nextChangeAt(), Infinity);
});

test('what is set back within a minute counts', async () => {
  const { clock, rewrites, revertAfter, count } = watching();
  rewrites.noteRewrite('shop/web');
  await revertAfter(1);
  await revertAfter(40);
  assert.equal(count(), 2);
  await clock.advance(20_000);
  assert.equal(count(), 1);
  assert.equal(rewrites.nextChangeAt(), 101_000);
  await clock.advance(40_000);
  assert.equal(count(), 0);
});

test('three times in a minute count until it has been quiet for ten', async () => {
  const { clock, rewrites, revertAfter, count } = watching();
  rewrites.noteRewrite('shop/web');
  for (const seconds of [1, 10, 10]) await revertAfter(seconds);
  assert.equal(count(), 3);
  await clock.advance(599_000);
  assert.equal(count(), 3);
  assert.equal(rewrites.nextChangeAt(), 621_000);
  await clock.advance(1_000);
  assert.equal(count(), 0);
});

test('a Service that is gone is forgotten', async () => {
  const { rewrites, revertAfter, count } = watching();
  rewrites.noteRewrite('shop/web');
  await revertAfter(1);
  rewrites.forget('shop/web');
  assert.equal(count(), 0);
});

test('who gave up does so until it is quiet, however rare the next ones are', async () => {
  const { clock, rewrites, revertAfter, count } = watching();
  rewrites.noteRewrite('shop/web');
  for (const seconds of [1, 1, 1, 500, 500, 500, 500]) await revertAfter(seconds);
  assert.equal(count(), 3);
  await clock.advance(600_000);
  assert.equal(count(), 0);
  await revertAfter(1);
  assert.equal(count(), 1);
});

test('who toggles a policy for days does not fill the memory', async () => {
  const { clock, rewrites } = watching();
  rewrites.noteRewrite('shop/web');
  for (let index = 0; index < 100_000; index += 1) rewrites.noteLocal('shop/web');
  const startedAt = process.cpuUsage().user;
  for (let index = 0; index < 1_000; index += 1) rewrites.known();
  // Looking at all of them each time would take seconds.
  assert.ok(process.cpuUsage().user - startedAt < 500_000);
  await clock.advance(600_000);
  assert.deepEqual([...rewrites.known()], []);
});

test('a change that fails counts as one that is set back, with its reason', async () => {
  const { clock, rewrites } = watching();
  for (const why of ['denied', 'denied', 'x'.repeat(300)]) rewrites.noteFailure('shop/web', why);
  const { setbacks, refusal } = rewrites.known().get('shop/web') ?? {};
  assert.deepEqual([setbacks, refusal], [3, `${'x'.repeat(200)}…`]);
  await clock.advance(600_000);
  assert.deepEqual([...rewrites.known()], []);
});

test('a rewrite is to be told until the status is written, or someone has set it back', () => {
  const { rewrites } = watching();
  const isUntold = () => rewrites.known().get('shop/web')?.isUntold;
  rewrites.noteTold('shop/web');
  assert.equal(isUntold(), undefined);
  rewrites.noteRewrite('shop/web');
  assert.equal(isUntold(), true);
  rewrites.noteTold('shop/web');
  assert.equal(isUntold(), undefined);
  rewrites.noteRewrite('shop/web');
  rewrites.noteLocal('shop/web');
  assert.equal(isUntold(), false);
});
