import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { missing } from '../missing.ts';
import { HostProcess, type StartOptions } from './host-process.ts';
import { attempt, CommandError, run } from './run.ts';

const skip = missing('setpriv');

async function sh(script: string, options?: StartOptions): Promise<HostProcess> {
  return HostProcess.start([], ['sh', '-c', script], options);
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const text = (started: HostProcess) => started.lines.map(({ stream, text }) => `${stream} ${text}`);

test('output comes by line, with its stream, also into a file', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lab-test-'));
  const logFile = join(folder, 'log');
  try {
    await using started = await sh('echo one; echo two >&2; printf three', { logFile });
    assert.deepEqual(await started.exited, { code: 0, signal: null });
    assert.deepEqual(text(started).sort(), ['stderr two', 'stdout one', 'stdout three']);
    await eventually(
      () =>
        assert.deepEqual(readFileSync(logFile, 'utf8').split('\n').sort(), [
          '',
          'one',
          'three',
          'two',
        ]),
      { withinMs: 1000 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a start is over when the program says so', { skip }, async () => {
  await using started = await sh('sleep 0.1; echo listening on 7; sleep 60', {
    ready: /listening/,
  });
  assert.deepEqual(text(started), ['stdout listening on 7']);
});

test('a program that ends or dawdles before it is ready says what it printed', {
  skip,
}, async () => {
  await assert.rejects(
    sh('echo no such device >&2; exit 1', { ready: /listening/ }),
    /it ended \(1\) before \/listening\/\n {2}\| no such device/,
  );
  await assert.rejects(
    sh('sleep 60', { ready: /listening/, readyWithinMs: 50 }),
    /50 ms passed before \/listening\/, without output/,
  );
});

test('a program that does not exist is an error, not a process', { skip }, async () => {
  const started = await HostProcess.start([], ['no-such-program']);
  assert.notEqual((await started.exited).code, 0);
  await assert.rejects(run(['no-such-program']), /cannot run `no-such-program`/);
});

test('a frozen program stands still until it is thawed', { skip }, async () => {
  const ticking = [process.execPath, '--eval', 'setInterval(() => console.log("tick"), 5)'];
  await using started = await HostProcess.start([], ticking, { ready: /tick/ });
  const state = () =>
    /^State:\s*(\w)/m.exec(readFileSync(`/proc/${started.pid}/status`, 'utf8'))?.[1];
  started.freeze();
  await eventually(() => assert.equal(state(), 'T'), { withinMs: 1000 });
  const printed = started.lines.length;
  started.thaw();
  await eventually(() => assert.ok(started.lines.length > printed + 5), { withinMs: 2000 });
});

test('stopping asks first, and kills what does not listen', { skip }, async () => {
  const polite = await sh('trap "echo bye; exit 7" TERM; echo up; while :; do sleep 0.01; done', {
    ready: /up/,
  });
  assert.deepEqual(await polite.stop(), { code: 7, signal: null });
  assert.deepEqual(text(polite), ['stdout up', 'stdout bye']);
  const deaf = await sh('trap "" TERM; echo up; while :; do sleep 0.01; done', { ready: /up/ });
  assert.deepEqual(await deaf.stop(100), { code: null, signal: 'SIGKILL' });
  assert.deepEqual(await deaf.stop(), { code: null, signal: 'SIGKILL' });
});

test('killed or stopped, a program takes its whole process group along', { skip }, async () => {
  for (const end of ['kill', 'stop'] as const) {
    const started = await sh('sleep 600 & echo $!; wait', { ready: /\d/ });
    const child = Number(started.lines[0]?.text);
    assert.ok(isRunning(child));
    await started[end]();
    await eventually(() => assert.ok(!isRunning(child)), { withinMs: 1000 });
  }
});

test('a program that becomes a daemon lives on', { skip }, async () => {
  for (let round = 0; round < 5; round++) {
    const started = await sh("(sleep 0.02; exec setsid sh -c 'echo $$; exec sleep 600') & exit 0");
    assert.deepEqual(await started.exited, { code: 0, signal: null });
    const daemon = Number(await started.line(/^\d+$/));
    assert.ok(isRunning(daemon));
    process.kill(daemon, 'SIGKILL');
  }
});

test('a program dies with the process that started it', { skip }, async () => {
  const program = `
    const { HostProcess } = await import(${JSON.stringify(import.meta.resolve('./host-process.ts'))});
    console.log((await HostProcess.start([], ['sleep', '600'])).pid);`;
  const starter = await HostProcess.start(
    [],
    [process.execPath, '--input-type=module', '--eval', program],
    { ready: /^\d+$/ },
  );
  const pid = Number(starter.lines[0]?.text);
  assert.ok(isRunning(pid));
  process.kill(starter.pid, 'SIGKILL');
  await starter.exited;
  await eventually(() => assert.ok(!isRunning(pid)), { withinMs: 1000 });
});

test('a command gets its input and gives its output, or an error that shows it', {
  skip,
}, async () => {
  assert.deepEqual(await run(['cat'], { input: 'text\n' }), {
    status: 0,
    stdout: 'text\n',
    stderr: '',
  });
  assert.equal((await attempt(['sh', '-c', 'exit 5'])).status, 5);
  await assert.rejects(run(['sh', '-c', 'echo why >&2; exit 5']), (error) => {
    assert.ok(error instanceof CommandError);
    assert.equal(error.message, '`sh -c echo why >&2; exit 5` ended with 5: why');
    return true;
  });
  await assert.rejects(run(['sleep', '60'], { timeoutMs: 50 }), /ended by SIGKILL/);
});
