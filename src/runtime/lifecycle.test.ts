import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from './clock.ts';
import { Lifecycle, type ProcessFault, type ProcessPort, type StopSignal } from './lifecycle.ts';
import { Log } from './log.ts';
import { ManualClock } from './manual-clock.ts';

class FakeProcess implements ProcessPort {
  signal: (signal: StopSignal) => void = () => {};
  fault: (kind: ProcessFault, error: unknown) => void = () => {};
  readonly exits: number[] = [];

  onSignal(listener: (signal: StopSignal) => void): void {
    this.signal = listener;
  }

  onFault(listener: (kind: ProcessFault, error: unknown) => void): void {
    this.fault = listener;
  }

  exit(code: number): void {
    this.exits.push(code);
  }
}

/** A program on a manual clock; its diary holds log lines (level, message, what they name) and hooks as they run. */
function start() {
  const clock = new ManualClock();
  const process = new FakeProcess();
  const diary: string[] = [];
  const sink = (line: string) => {
    const { level, msg, reason, hook, task, tasks, error, exitCode } = JSON.parse(line);
    const named = [reason, hook, task, tasks?.join(), error?.message, exitCode];
    diary.push([level, msg, ...named.filter((name) => name !== undefined)].join(' '));
  };
  const log = Log.create({ sink });
  const lifecycle = new Lifecycle({ log, clock, process, stopLimitMs: 1_000 });
  return { clock, process, diary, lifecycle };
}

test('a signal stops in reverse order and exits with 0', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { clock, process, diary, lifecycle } = start();
    await lifecycle.run(async () => {
      lifecycle.onStop('server', () => void diary.push('server closed'));
      lifecycle.onStop('reconciler', async () => {
        await sleep(clock, 10);
        diary.push(`reconciler stopped, stopping: ${lifecycle.stopping.aborted}`);
      });
    });
    assert.equal(lifecycle.stopping.aborted, false);
    process.signal(signal);
    await clock.advance(10);
    assert.deepEqual(diary, [
      `info Stopping ${signal}`,
      'reconciler stopped, stopping: true',
      'server closed',
      'info Stopped 0',
    ]);
    assert.deepEqual(process.exits, [0]);
  }
});

test('a second signal exits at once', async () => {
  const { clock, process, lifecycle } = start();
  lifecycle.onStop('slow', () => sleep(clock, 500));
  process.signal('SIGTERM');
  process.signal('SIGTERM');
  assert.deepEqual(process.exits, [143]);
  process.signal('SIGINT');
  assert.deepEqual(process.exits, [143, 130]);
});

test('a stop hook that hangs or fails costs its time limit and the exit code, not the others', async () => {
  const { clock, process, diary, lifecycle } = start();
  lifecycle.onStop('first', () => void diary.push('first stopped'));
  lifecycle.onStop('throws', () => {
    throw new Error('broken');
  });
  lifecycle.onStop('rejects', () => Promise.reject(new Error('broken too')));
  lifecycle.onStop('hangs', () => new Promise(() => {}));
  lifecycle.onStop('hangs shortly', () => new Promise(() => {}), 200);
  process.signal('SIGTERM');
  await clock.advance(1_199);
  assert.deepEqual(process.exits, []);
  await clock.advance(1);
  assert.deepEqual(diary, [
    'info Stopping SIGTERM',
    'error Stop hook timed out hangs shortly',
    'error Stop hook timed out hangs',
    'error Stop hook failed rejects broken too',
    'error Stop hook failed throws broken',
    'first stopped',
    'info Stopped 1',
  ]);
  assert.deepEqual(process.exits, [1]);
  assert.equal(clock.pendingTimers, 0);
});

test('a background task that fails ends the program with 1', async () => {
  const { clock, process, diary, lifecycle } = start();
  lifecycle.onStop('server', () => void diary.push('server closed'));
  lifecycle.background('watch', Promise.reject(new Error('lost')));
  await clock.settle();
  assert.deepEqual(diary, [
    'error Background task failed watch lost',
    'info Stopping Background task failed',
    'server closed',
    'info Stopped 1',
  ]);
  assert.deepEqual(process.exits, [1]);
});

test('a background task that ends well is forgotten', async () => {
  const { clock, process, diary, lifecycle } = start();
  lifecycle.background('once', Promise.resolve('anything'));
  await clock.settle();
  assert.deepEqual([diary, process.exits], [[], []]);
});

test('background tasks may end by the abort, and are awaited after the hooks', async () => {
  const { clock, process, diary, lifecycle } = start();
  const loop = async () => {
    try {
      await sleep(clock, Infinity, lifecycle.stopping);
    } finally {
      await sleep(clock, 50);
      diary.push('loop ended');
    }
  };
  lifecycle.background('loop', loop());
  lifecycle.onStop('server', () => void diary.push('server closed'));
  process.signal('SIGTERM');
  await clock.advance(50);
  assert.deepEqual(diary, [
    'info Stopping SIGTERM',
    'server closed',
    'loop ended',
    'info Stopped 0',
  ]);
  assert.deepEqual(process.exits, [0]);
});

test('background tasks that do not end are named', async () => {
  const { clock, process, diary, lifecycle } = start();
  lifecycle.background('a', new Promise(() => {}));
  lifecycle.background('done', Promise.resolve());
  lifecycle.background('b', new Promise(() => {}));
  process.signal('SIGTERM');
  await clock.advance(1_000);
  assert.deepEqual(diary, [
    'info Stopping SIGTERM',
    'error Background tasks did not end a,b',
    'info Stopped 1',
  ]);
  assert.deepEqual(process.exits, [1]);
});

test('a start that fails stops what it had started', async () => {
  const { clock, process, diary, lifecycle } = start();
  await lifecycle.run(async () => {
    lifecycle.onStop('server', () => void diary.push('server closed'));
    throw new Error('no API server');
  });
  await clock.settle();
  assert.deepEqual(diary, [
    'error Start failed no API server',
    'info Stopping Start failed',
    'server closed',
    'info Stopped 1',
  ]);
  assert.deepEqual(process.exits, [1]);
});

test('a signal during the start lets it end first, and stops also what it started late', async () => {
  const { clock, process, diary, lifecycle } = start();
  const running = lifecycle.run(async () => {
    lifecycle.onStop('early', () => void diary.push('early stopped'));
    await sleep(clock, 100);
    lifecycle.onStop('late', () => void diary.push('late stopped'));
    await sleep(clock, 100, lifecycle.stopping);
  });
  await clock.advance(50);
  process.signal('SIGTERM');
  await clock.advance(50);
  await running;
  assert.deepEqual(diary, [
    'info Stopping SIGTERM',
    'late stopped',
    'early stopped',
    'info Stopped 0',
  ]);
  assert.deepEqual(process.exits, [0]);
});

test('an unexpected error is logged and ends the program with 1', async () => {
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const) {
    const { clock, process, diary } = start();
    process.fault(kind, new Error('surprise'));
    await clock.settle();
    assert.deepEqual(diary, [
      'error Unexpected error surprise',
      'info Stopping Unexpected error',
      'info Stopped 1',
    ]);
    assert.deepEqual(process.exits, [1]);
  }
});

test('an error while stopping does not start the stop again, but shows in the exit code', async () => {
  const { clock, process, diary, lifecycle } = start();
  lifecycle.onStop('slow', () => sleep(clock, 100));
  process.signal('SIGTERM');
  process.fault('uncaughtException', new Error('surprise'));
  lifecycle.background('late', Promise.reject(new Error('lost')));
  await clock.advance(100);
  assert.deepEqual(diary, [
    'info Stopping SIGTERM',
    'error Unexpected error surprise',
    'error Background task failed late lost',
    'info Stopped 1',
  ]);
  assert.deepEqual(process.exits, [1]);
});

test('a program may stop itself', async () => {
  const { clock, process, diary, lifecycle } = start();
  const stopped = lifecycle.stop('all work is done');
  assert.equal(lifecycle.stop('again'), stopped);
  await clock.settle();
  await stopped;
  assert.deepEqual(diary, ['info Stopping all work is done', 'info Stopped 0']);
  assert.deepEqual(process.exits, [0]);
});
