import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longestTimeoutMs, SystemClock, type Timers } from './system-clock.ts';

/** Timers that fire when told to, however early. */
class HandTimers implements Timers {
  time = 0;
  asked: number[] = [];
  #armed: (() => void) | undefined;

  monotonic(): number {
    return this.time;
  }

  setTimeout(callback: () => void, ms: number): () => void {
    this.asked.push(ms);
    const armed = () => callback();
    this.#armed = armed;
    return () => {
      if (this.#armed === armed) this.#armed = undefined;
    };
  }

  setImmediate(callback: () => void): () => void {
    return this.setTimeout(callback, 0);
  }

  fireAt(time: number): void {
    this.time = time;
    const callback = this.#armed;
    this.#armed = undefined;
    callback?.();
  }
}

function start(ms: number) {
  const timers = new HandTimers();
  const fired: number[] = [];
  const cancel = new SystemClock({ timers }).after(ms, () => fired.push(timers.time));
  return { timers, fired, cancel };
}

test('a timer that fires a fraction too early is armed again', () => {
  const { timers, fired } = start(10);
  timers.fireAt(9.4);
  assert.deepEqual(fired, []);
  timers.fireAt(10.1);
  assert.deepEqual(fired, [10.1]);
  assert.deepEqual(timers.asked, [10, 1]);
});

test('how late each wait was over is told, and of those that are not over nothing', () => {
  const timers = new HandTimers();
  const late: number[] = [];
  const clock = new SystemClock({ timers, onLate: (ms) => late.push(ms) });
  clock.after(10, () => {});
  timers.fireAt(9);
  assert.deepEqual(late, []);
  timers.fireAt(260);
  clock.after(10, () => {})();
  timers.fireAt(500);
  assert.deepEqual(late, [250]);
});

test('a long wait is asked for with a millisecond to spare, so that it wakes once', () => {
  for (const [ms, asked] of [
    [49, 49],
    [50, 51],
    [99.5, 101],
  ] as const) {
    const { timers, fired } = start(ms);
    timers.fireAt(asked - 0.6);
    assert.deepEqual([timers.asked[0], fired.length], [asked, asked > ms ? 1 : 0]);
  }
});

test('a fraction of a millisecond is waited for in full', () => {
  const { timers, fired } = start(2.5);
  timers.fireAt(3);
  assert.deepEqual([timers.asked, fired], [[3], [3]]);
});

test('a wait longer than Node can count is made of several', () => {
  const month = 30 * 86_400_000;
  const { timers, fired } = start(month);
  timers.fireAt(longestTimeoutMs);
  assert.deepEqual(fired, []);
  timers.fireAt(month);
  assert.deepEqual(timers.asked, [longestTimeoutMs, month - longestTimeoutMs + 1]);
  assert.deepEqual(fired, [month]);
});

test('no wait, or a negative one, comes after the events that wait already', () => {
  for (const ms of [0, -5, -Infinity]) {
    const { timers, fired } = start(ms);
    assert.deepEqual([timers.asked, fired], [[0], []]);
    timers.fireAt(0);
    assert.deepEqual(fired, [0]);
  }
});

test('an infinite wait never ends, and a wait of NaN is a mistake', () => {
  assert.deepEqual(start(Infinity).timers.asked, []);
  assert.throws(() => start(Number.NaN), RangeError);
});

test('a cancelled wait never calls back, also after it was armed again', () => {
  const { timers, fired, cancel } = start(10);
  timers.fireAt(9.5);
  cancel();
  timers.fireAt(20);
  assert.deepEqual(fired, []);
});

test('on the machine itself time moves forward and no timer is early', async () => {
  const clock = new SystemClock();
  assert.ok(Math.abs(clock.now() - Date.now()) < 1000);
  for (const ms of [0, 0.2, 1, 2.7]) {
    const before = clock.monotonic();
    await new Promise<void>((resolve) => {
      clock.after(ms, resolve);
    });
    assert.ok(clock.monotonic() - before >= ms, `${ms} ms`);
  }
  clock.after(1, assert.fail)();
});
