import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const program = new URL('lifecycle-program.fixture.ts', import.meta.url).pathname;

/** Runs the program, sends a signal for each time it says a given phrase, and returns how it ended and what it said. */
async function run(trouble: string, signals: Readonly<Record<string, NodeJS.Signals>> = {}) {
  const child = spawn(process.execPath, [program, trouble], { stdio: ['ignore', 'pipe', 'pipe'] });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const exited = once(child, 'close');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { level, msg, kind, error, exitCode } = JSON.parse(line);
    const named = [kind, error?.message, exitCode].filter((name) => name !== undefined);
    said.push([level, msg, ...named].join(' '));
    const signal = signals[msg];
    if (signal !== undefined) child.kill(signal);
  }
  const [code] = await exited;
  return { code, said, stderr: Buffer.concat(errors).toString() };
}

const stopped = ['info Stopped the reconciler', 'info Closed the server'];

test('a real process ends in order on SIGTERM and on SIGINT', { timeout: 20_000 }, async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    assert.deepEqual(await run('', { Started: signal }), {
      code: 0,
      said: ['info Started', 'info Stopping', ...stopped, 'info Stopped 0'],
      stderr: '',
    });
  }
});

test('a rejected background task ends a real process with 1', { timeout: 20_000 }, async () => {
  assert.deepEqual(await run('rejects'), {
    code: 1,
    said: [
      'info Started',
      'error Background task failed lost',
      'info Stopping',
      ...stopped,
      'info Stopped 1',
    ],
    stderr: '',
  });
});

test('what nobody caught ends a real process with 1', { timeout: 20_000 }, async () => {
  for (const [trouble, message] of [
    [
      'throws',
      "uncaughtException Expected property name or '}' in JSON at position 1 (line 1 column 2)",
    ],
    ['forgets', 'unhandledRejection forgotten'],
  ] as const) {
    const { code, said, stderr } = await run(trouble);
    assert.deepEqual([code, stderr], [1, '']);
    assert.deepEqual(said.slice(1), [
      `error Unexpected error ${message}`,
      'info Stopping',
      ...stopped,
      'info Stopped 1',
    ]);
  }
});

test('a stop hook that hangs delays a real process by its limit only', {
  timeout: 20_000,
}, async () => {
  assert.deepEqual(await run('hangs', { Started: 'SIGTERM' }), {
    code: 1,
    said: [
      'info Started',
      'info Stopping',
      'error Stop hook timed out',
      ...stopped,
      'info Stopped 1',
    ],
    stderr: '',
  });
});

test('a second signal ends a real process at once', { timeout: 20_000 }, async () => {
  assert.deepEqual(await run('hangs long', { Started: 'SIGTERM', Stopping: 'SIGTERM' }), {
    code: 143,
    said: ['info Started', 'info Stopping', 'warn Second signal, exiting at once'],
    stderr: '',
  });
});

test('a process whose reader is gone goes on to its end', { timeout: 20_000 }, async () => {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'close');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.kill('SIGTERM');
  let stderr = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) stderr += chunk;
  const [code] = await exited;
  assert.deepEqual([code, stderr], [0, '']);
});
