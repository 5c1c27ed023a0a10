import assert from 'node:assert/strict';
import { type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { eventually } from './eventually.ts';
import { missing } from './missing.ts';

const skip = missing('ip', 'ping', 'setpriv', 'unshare');
const root = dirname(import.meta.dirname);
const playground = ['node', 'scripts/launch.mjs', 'lab/playground.ts'];

/** What a user outside of any sandbox would have, with this Node first in the path. */
const { PURELB_SANDBOX: _, PURELB_SANDBOX_PID: __, PATH, ...environment } = process.env;
const outside = { ...environment, PATH: `${dirname(process.execPath)}:${PATH}` };

function start([command = '', ...args]: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(command, args, { cwd: root, env: outside, stdio: 'pipe', ...options });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  return { child, exit, output: () => output };
}

test('npm start -- --once shows hosts, pings and packets, and ends with 0', { skip }, async () => {
  const { exit, output } = start(['npm', 'start', '--silent', '--', '--once']);
  assert.equal(await exit, 0, output());
  const text = output();
  assert.match(
    text,
    /^node4 +eth0 +lan2 +198\.51\.100\.14 +2001:db8:2::14 +02:00:00:02:00:14 +up$/m,
  );
  assert.match(text, /^node5( +\d+\.\d\d ms){2}$/m);
  assert.match(text, /^IPv6 +(\d+) +\1 +0 +none +\d+\.\d\d ms$/m);
  assert.match(text, /^IPv4, cable out for 200 ms +\d+ +\d+ +[12]\d\d +[23]\d\d ms/m);
  assert.match(text, /^Taken down; nothing is left behind\.\n$/m);
  assert.doesNotMatch(text, /no answer|Ctrl-C/);
  const tooLong = text.split('\n').filter((line) => line.length > 80 && !line.startsWith('npm'));
  assert.deepEqual(tooLong, []);
});

test('without a terminal it ends after showing, as with --once', { skip }, async () => {
  const { exit, output } = start(playground, { stdio: ['ignore', 'pipe', 'pipe'] });
  assert.equal(await exit, 0, output());
  assert.match(output(), /Taken down/);
});

const skipTerminal = skip || missing('script');

for (const [what, end] of [
  ['Ctrl-C', ({ child }: ReturnType<typeof start>) => child.stdin?.write('\x03')],
  [
    'SIGTERM',
    async ({ output }: ReturnType<typeof start>) => {
      const pid = /^pid (\d+)/m.exec(output())?.[1];
      process.kill(Number(pid), 'SIGTERM');
    },
  ],
] as const) {
  test(`at a terminal it stays until ${what} and ends with 0`, { skip: skipTerminal }, async () => {
    const command = `echo pid $$; exec ${playground.join(' ')}`;
    const running = start(['script', '--quiet', '--return', '--command', command, '/dev/null']);
    const shown = () => assert.match(running.output(), /ip netns exec node1 bash\s+Ctrl-C ends/);
    await eventually(shown, { withinMs: 15_000 });
    await end(running);
    assert.equal(await running.exit, 0, running.output());
    assert.match(running.output(), /Taken down; nothing is left behind/);
  });
}

test('interrupted while it works, it takes everything down and says so by its exit code', {
  skip,
}, async () => {
  const running = start([...playground, '--once']);
  await eventually(() => assert.match(running.output(), /^node5 /m), { withinMs: 10_000 });
  running.child.kill('SIGTERM');
  assert.equal(await running.exit, 128 + 15, running.output());
  assert.match(running.output(), /Taken down/);
});

test('help is 0, an unknown option 2, both with the usage', { skip }, async () => {
  const help = start([...playground, '--help']);
  assert.deepEqual([await help.exit, /--once/.test(help.output())], [0, true]);
  const wrong = start([...playground, '--twice']);
  assert.deepEqual([await wrong.exit, /--twice.*--once/s.test(wrong.output())], [2, true]);
});

test('missing commands are named with their Debian packages', { skip }, async () => {
  const bin = mkdtempSync(join(tmpdir(), 'lab-bin-'));
  try {
    symlinkSync('/bin/sh', join(bin, 'sh'));
    const [, ...args] = playground;
    const { exit, output } = start([process.execPath, ...args], { env: { ...outside, PATH: bin } });
    assert.equal(await exit, 1);
    assert.match(output(), /apt-get install iproute2 iputils-ping/);
    assert.match(output(), /^The playground cannot start: missing: ip, ping$/m);
  } finally {
    rmSync(bin, { recursive: true });
  }
});
