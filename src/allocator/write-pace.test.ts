import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../runtime/manual-clock.ts';
import { WritePace } from './write-pace.ts';

function pacing() {
  const clock = new ManualClock();
  return { clock, pace: new WritePace(clock, () => 0) };
}

test('a pause grows with each failure, but those that fail together count once', async () => {
  const { clock, pace } = pacing();
  pace.pauseAll();
  pace.pauseAll();
  assert.equal(pace.pauseMs, 100);
  await clock.advance(100);
  pace.pauseAll();
  assert.equal(pace.pauseMs, 200);
  await clock.advance(200);
  pace.noteSuccess('shop/web');
  pace.pauseAll();
  assert.equal(pace.pauseMs, 100);
});

test('the server may ask for a longer pause, within reason', () => {
  const { pace } = pacing();
  pace.pauseAll(2_000);
  assert.equal(pace.pauseMs, 2_000);
  const other = pacing().pace;
  other.pauseAll(3_600_000);
  assert.equal(other.pauseMs, 30_000);
});

test('one object waits ever longer, until it has changed', async () => {
  const { clock, pace } = pacing();
  assert.equal(pace.setBack('shop/web', '7'), 200);
  assert.equal(pace.mayTry('shop/web', '7'), false);
  assert.equal(pace.mayTry('shop/web', '8'), true);
  assert.equal(pace.mayTry('shop/db', '7'), true);
  assert.equal(pace.nextTryAt(), 200);
  await clock.advance(200);
  assert.equal(pace.mayTry('shop/web', '7'), true);
  assert.equal(pace.nextTryAt(), Infinity);
  assert.equal(pace.setBack('shop/web', '7'), 400);
  assert.equal(pace.setBack('shop/web', '8'), 200);
  pace.forget('shop/web');
  assert.equal(pace.mayTry('shop/web', '8'), true);
});

test('two hundred thousand objects may wait at once', () => {
  const { pace } = pacing();
  for (let index = 0; index < 200_000; index += 1) pace.setBack(`shop/${index}`, '7');
  assert.equal(pace.nextTryAt(), 200);
});
