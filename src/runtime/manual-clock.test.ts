import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sleep } from './clock.ts';
import { ManualClock } from './manual-clock.ts';

test('time stands still until it is advanced', async () => {
  const clock = new ManualClock(1_000_000);
  assert.deepEqual([clock.now(), clock.monotonic()], [1_000_000, 0]);
  await clock.advance(1_500);
  assert.deepEqual([clock.now(), clock.monotonic()], [1_001_500, 1_500]);
});

test('callbacks come in order of their time, equal ones in order of asking, each at its own time', async () => {
  const clock = new ManualClock();
  const calls: string[] = [];
  const note = (name: string) => () => calls.push(`${name}@${clock.monotonic()}`);
  clock.after(20, note('b'));
  clock.after(10, note('a'));
  clock.after(20, note('c'));
  clock.after(31, note('too late'));
  clock.after(15, note('cancelled'))();
  await clock.advance(30);
  assert.deepEqual(calls, ['a@10', 'b@20', 'c@20']);
  assert.deepEqual([clock.nextDue(), clock.pendingTimers], [31, 1]);
});

test('what a callback starts is settled before the next callback, also when it takes many promises', async () => {
  const clock = new ManualClock();
  const calls: string[] = [];
  const work = async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    calls.push('first');
  };
  clock.after(10, () => void work());
  clock.after(10, () => calls.push('second'));
  await clock.advance(10);
  assert.deepEqual(calls, ['first', 'second']);
});

test('timers set on the way fire on the way', async () => {
  const clock = new ManualClock();
  const times: number[] = [];
  const tick = async () => {
    while (clock.monotonic() < 50) {
      await sleep(clock, 10);
      times.push(clock.monotonic());
    }
  };
  const ticking = tick();
  await clock.advance(1000);
  await ticking;
  assert.deepEqual(times, [10, 20, 30, 40, 50]);
});

test('no wait means now, but not before the asking returned', async () => {
  const clock = new ManualClock();
  const calls: string[] = [];
  clock.after(0, () => calls.push('called back'));
  clock.after(-1, () => calls.push('called back too'));
  calls.push('asked');
  await clock.settle();
  assert.deepEqual(calls, ['asked', 'called back', 'called back too']);
  assert.equal(clock.monotonic(), 0);
});

test('an infinite wait never ends, and a wait of NaN is a mistake', async () => {
  const clock = new ManualClock();
  clock.after(Infinity, assert.fail);
  await clock.advance(1e15);
  assert.throws(() => clock.after(Number.NaN, assert.fail), RangeError);
});

test('after a stall all that was missed happens at once, late', async () => {
  const clock = new ManualClock();
  const times: number[] = [];
  for (const ms of [10, 20, 200]) clock.after(ms, () => times.push(clock.monotonic()));
  clock.stall(100);
  assert.deepEqual(times, []);
  await clock.settle();
  assert.deepEqual(times, [100, 100]);
  await clock.advance(100);
  assert.deepEqual(times, [100, 100, 200]);
});

test('setting the wall clock moves no timer', async () => {
  const clock = new ManualClock(0);
  const times: number[] = [];
  clock.after(10, () => times.push(clock.monotonic()));
  clock.jumpWall(-30_000);
  assert.equal(clock.now(), -30_000);
  await clock.advance(10);
  assert.deepEqual(times, [10]);
});

test('whoever wakes himself without end is found out', async () => {
  const clock = new ManualClock();
  const again = () => {
    clock.after(0, again);
  };
  again();
  await assert.rejects(clock.advance(1), /time stands still: 100000 callbacks at 0 ms/);
});

test('a timer that fires very often, each time a little later, is fine', async () => {
  const clock = new ManualClock();
  let count = 0;
  const again = () => {
    count++;
    clock.after(1, again);
  };
  again();
  await clock.advance(150_000);
  assert.equal(count, 150_001);
});

test('a callback that throws fails the advance, and the clock can go on', async () => {
  const clock = new ManualClock();
  clock.after(1, () => {
    throw new Error('broken');
  });
  await assert.rejects(clock.advance(5), /broken/);
  assert.equal(clock.monotonic(), 1);
  await clock.advance(4);
  assert.equal(clock.monotonic(), 5);
});

test('two advances at once are a mistake', async () => {
  const clock = new ManualClock();
  const first = clock.advance(1);
  await assert.rejects(clock.advance(1), /being advanced already/);
  await first;
});

test('many small steps are the same as one large', async () => {
  const run = async (delays: readonly number[], steps: readonly number[]) => {
    const clock = new ManualClock();
    const calls: string[] = [];
    for (const [index, ms] of delays.entries()) {
      clock.after(ms, () => calls.push(`${index}@${clock.monotonic()}`));
    }
    for (const step of steps) await clock.advance(step);
    return { calls, at: clock.monotonic() };
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(100), { maxLength: 20 }),
      fc.array(fc.nat(20), { minLength: 1, maxLength: 10 }),
      async (delays, steps) => {
        const total = steps.reduce((sum, step) => sum + step, 0);
        assert.deepEqual(await run(delays, steps), await run(delays, [total]));
      },
    ),
  );
});
