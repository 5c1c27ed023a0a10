import assert from 'node:assert/strict';
import { type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isInstalled } from '../../scripts/system-packages.ts';
import { missingBinaries } from '../control-plane/binaries.ts';
import { eventually } from '../eventually.ts';
import { missing } from '../missing.ts';
import { machineObstacle, setUpCommand } from '../real-cluster/set-up.ts';

const skip = missing('ip', 'nft', 'ping', 'setpriv', 'unshare');
const root = dirname(dirname(import.meta.dirname));
const playground = ['node', 'scripts/launch.mjs', 'lab/playground/main.ts'];

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

test('npm start -- --network shows hosts, pings and packets, and ends with 0', {
  skip,
}, async () => {
  const { exit, output } = start(['npm', 'start', '--silent', '--', '--network']);
  assert.equal(await exit, 0, output());
  const text = output();
  assert.match(
    text,
    /^node4 +eth0 +lan2 +198\.51\.100\.14 +2001:db8:2::14 +02:00:00:02:00:14 +up$/m,
  );
  assert.match(text, /^node5( +\d+\.\d\d ms){2}$/m);
  assert.match(text, /^IPv6 +(\d+) +\1 +0 +none +\d+\.\d\d ms$/m);
  assert.match(text, /^IPv4, cable out for 200 ms +\d+ +\d+ +[1-9]\d\d +[2-9]\d\d ms/m);
  assert.doesNotMatch(text, /no answer/);
  const tooLong = text.split('\n').filter((line) => line.length > 80 && !line.startsWith('npm'));
  assert.deepEqual(tooLong, []);
});

test('the tour holds, step by step, and leaves nothing behind', { skip }, async () => {
  const { exit, output } = start([...playground, '--tour'], { stdio: ['ignore', 'pipe', 'pipe'] });
  assert.equal(await exit, 0, output());
  const text = output();
  const speaksBgp = !text.includes('Nodes speak no BGP here');
  assert.equal(text.match(/^ {3}✓ /gm)?.length, speaksBgp ? 15 : 12, text);
  assert.match(text, speaksBgp ? /^15 of 15 steps held\.$/m : /^12 of 12 .* 3 were left out\.$/m);
  assert.match(text, /^Taken down; nothing is left behind\.\n$/m);
});

test('npm start -- --netbox shows a record that comes and goes with its Service', {
  skip,
}, async () => {
  const { exit, output } = start([...playground, '--netbox']);
  assert.equal(await exit, 0, output());
  const text = output();
  assert.match(text, /^It has 192\.0\.2\.208, which node[123] on eth0 holds\./m);
  assert.match(
    text,
    /^192\.0\.2\.208\/28 +active +kubernetes +purelb [-0-9a-f]+ default\/from-netbox$/m,
  );
  assert.match(text, /^Netbox has nothing on record any more/m);
});

const skipTerminal = skip || missing('script');

test('at a terminal it shows the cluster, takes keys, and ends with q', {
  skip: skipTerminal,
}, async () => {
  const isRouted = (missing('bird', 'birdc') || missingBinaries('gobgpd')) === false;
  const told = isRouted ? '--router bird' : '--router none';
  const command = `stty rows 40 cols 100; exec ${playground.join(' ')} ${told}`;
  const running = start(['script', '--quiet', '--return', '--command', command, '/dev/null']);
  const sees = (pattern: RegExp, withinMs = 60_000) =>
    eventually(() => assert.match(running.output(), pattern), { withinMs });
  await sees(/default\/local-1.*192\.0\.2\.100.*on node\d/);
  await sees(/is on node\d/);
  await sees(/█/);
  running.child.stdin?.write('nr');
  await sees(/default\/remote-2 gets 203\.0\.113\.128 from pool remote/);
  if (isRouted) {
    await sees(/ROUTER BIRD/);
    await sees(/The router spreads 203\.0\.113\.128 over (5 nodes|.*node5)/);
  }
  running.child.stdin?.write('k9');
  running.child.stdin?.write('f1');
  await sees(/The agent on node1 stands still/);
  running.child.stdin?.write('q');
  assert.equal(await running.exit, 0, running.output().slice(-2000));
  assert.match(running.output(), /Taken down; nothing is left behind/);
});

test("a scenario of one's own may fail, and says where", { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lab-scenario-'));
  try {
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, '- says: Nobody answers here.\n  do: [restart agentz]\n');
    const { exit, output } = start([...playground, '--scenario', file]);
    assert.equal(await exit, 2);
    assert.match(output(), /cannot be run: step 1: .*did you mean "restart agents"\?/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('without gobgpd it says so and goes on; interrupted, it takes everything down', {
  skip: skip || (isInstalled('gobgpd') && 'gobgpd is in the path'),
}, async () => {
  const cache = mkdtempSync(join(tmpdir(), 'lab-cache-'));
  try {
    const running = start([...playground, '--tour'], {
      env: { ...outside, XDG_CACHE_HOME: cache },
    });
    await eventually(() => assert.match(running.output(), /^1\. /m), { withinMs: 60_000 });
    running.child.kill('SIGTERM');
    assert.equal(await running.exit, 128 + 15, running.output());
    assert.match(
      running.output(),
      /^Nodes speak no BGP here:\n {2}missing gobgpd: build once with/m,
    );
    assert.match(running.output(), /Taken down/);
  } finally {
    rmSync(cache, { recursive: true });
  }
});

test('help is 0, an unknown option 2, both with the usage', { skip }, async () => {
  const help = start([...playground, '--help']);
  assert.deepEqual([await help.exit, /--tour/.test(help.output())], [0, true]);
  const wrong = start([...playground, '--twice']);
  assert.deepEqual([await wrong.exit, /--twice.*--tour/s.test(wrong.output())], [2, true]);
  const router = start([...playground, '--router', 'ios']);
  assert.deepEqual([await router.exit, /takes frr, bird, none/.test(router.output())], [2, true]);
});

test('without the set-up for real nodes it says the command, and what runs without', {
  skip,
}, async () => {
  const cache = mkdtempSync(join(tmpdir(), 'lab-cache-'));
  try {
    const env = { ...outside, XDG_CACHE_HOME: cache };
    const { exit, output } = start([...playground, '--cluster'], { env });
    assert.equal(await exit, 1);
    const why = machineObstacle() ?? 'they are not set up here';
    assert.ok(output().includes(`The playground cannot start real nodes: ${why}\n`), output());
    assert.equal(output().includes(setUpCommand), machineObstacle() === undefined);
    assert.match(output(), /What runs without them: npm start, npm start -- --real/);
  } finally {
    rmSync(cache, { recursive: true });
  }
});

test('missing commands are named with their Debian packages', { skip }, async () => {
  const bin = mkdtempSync(join(tmpdir(), 'lab-bin-'));
  try {
    symlinkSync('/bin/sh', join(bin, 'sh'));
    const [, ...args] = playground;
    const { exit, output } = start([process.execPath, ...args], { env: { ...outside, PATH: bin } });
    assert.equal(await exit, 1);
    assert.match(output(), /apt-get install iproute2 iputils-ping nftables/);
    assert.match(output(), /^The playground cannot start: missing: ip, ping, nft$/m);
  } finally {
    rmSync(bin, { recursive: true });
  }
});
