import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from './clock.ts';
import { ManualClock } from './manual-clock.ts';

test('sleep resolves when its time has passed', async () => {
  const clock = new ManualClock();
  const woken: number[] = [];
  const sleeping = sleep(clock, 100).then(() => woken.push(clock.monotonic()));
  await clock.advance(99);
  assert.deepEqual(woken, []);
  await clock.advance(1);
  assert.deepEqual(woken, [100]);
  await sleeping;
});

test('an aborted sleep rejects at once with the reason and leaves no timer', async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const reason = new Error('no longer needed');
  const sleeping = sleep(clock, 100, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, reason);
  assert.equal(clock.pendingTimers, 0);
});

test('sleep with a signal that is aborted already rejects without a timer', async () => {
  const clock = new ManualClock();
  const reason = new Error('too late');
  await assert.rejects(sleep(clock, 100, AbortSignal.abort(reason)), reason);
  assert.equal(clock.pendingTimers, 0);
});

test('a finished sleep does not listen to the signal any more', async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  const sleeping = sleep(clock, 1, signal);
  assert.equal(listeners, 1);
  await clock.advance(1);
  await sleeping;
  assert.equal(listeners, 0);
});
