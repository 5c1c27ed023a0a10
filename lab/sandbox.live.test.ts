import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from './eventually.ts';
import { missing } from './missing.ts';
import { isUserMapped } from './sandbox.ts';

const skip = missing('ip', 'setpriv', 'unshare', 'nsenter');
const here = import.meta.dirname;

/** What a user outside of any sandbox would have. */
const { PURELB_SANDBOX: _, PURELB_SANDBOX_PID: __, ...outside } = process.env;

/** Processes, their network namespaces, links and named namespaces, as far as this sandbox sees. */
function inventory() {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const running = pids.flatMap((pid) => {
    try {
      const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return argv === ''
        ? []
        : [{ pid: Number(pid), argv, network: readlinkSync(`/proc/${pid}/ns/net`) }];
    } catch {
      return [];
    }
  });
  const ip = (...args: string[]) => spawnSync('ip', args, { encoding: 'utf8' }).stdout;
  return {
    pids: running.map(({ pid }) => pid),
    networks: [...new Set(running.map(({ network }) => network))].sort(),
    links: ip('-o', 'link'),
    namespaces: ip('netns', 'list'),
    mounts: readFileSync('/proc/self/mounts', 'utf8'),
  };
}

interface Lingering {
  readonly child: ChildProcess;
  /** Process id, as seen from here, of the first process in its sandbox. */
  readonly first: number;
  readonly output: () => string;
}

/** `as` is the command that leads to another user, if any. */
async function linger(as: readonly string[] = []): Promise<Lingering> {
  const [command = '', ...args] = [...as, process.execPath, join(here, 'lingering.fixture.ts')];
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: outside,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [, first] = await eventually(
    () => /^up (\d+)$/m.exec(output) ?? assert.fail(`output: ${output}`),
    { withinMs: 10_000 },
  );
  return { child, first: Number(first), output: () => output };
}

async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode !== null || child.signalCode !== null)
    return child.exitCode ?? child.signalCode;
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
}

/** What is there now and was not before; what others ended meanwhile is their business. */
function since(before: ReturnType<typeof inventory>) {
  const now = inventory();
  return {
    ...now,
    pids: now.pids.filter((pid) => !before.pids.includes(pid)),
    networks: now.networks.filter((network) => !before.networks.includes(network)),
  };
}

async function leavesNothing(end: (lingering: Lingering) => Promise<void>): Promise<void> {
  const before = inventory();
  const lingering = await linger();
  try {
    // A process that is just being replaced (exec) has no command line for a moment.
    await eventually(
      () => {
        const { pids, networks } = since(before);
        // At least: the fixture twice, unshare, a responder, a sleeper; two networks or more.
        assert.ok(pids.length >= 5, `processes: ${pids}`);
        assert.ok(networks.length >= 2, `networks: ${networks}`);
      },
      { withinMs: 10_000 },
    );
    await end(lingering);
    const none = { ...before, pids: [], networks: [] };
    await eventually(() => assert.deepEqual(since(before), none), { withinMs: 5000 });
  } finally {
    lingering.child.kill('SIGKILL');
  }
}

test('SIGTERM reaches the first process inside, and its exit code comes out', {
  skip,
}, async () => {
  await leavesNothing(async ({ child, output }) => {
    child.kill('SIGTERM');
    assert.equal(await exitOf(child), 3);
    assert.match(output(), /^up \d+\ndown\n$/m);
  });
});

test('SIGKILL of the process that made the sandbox leaves nothing', { skip }, async () => {
  await leavesNothing(async ({ child }) => {
    child.kill('SIGKILL');
    assert.equal(await exitOf(child), 'SIGKILL');
  });
});

test('SIGKILL of the first process inside leaves nothing', { skip }, async () => {
  await leavesNothing(async ({ child, first }) => {
    process.kill(first, 'SIGKILL');
    // 137, or 1 with an `unshare` that stumbles over it (util-linux 2.38).
    assert.notEqual(await exitOf(child), 0);
  });
});

/** As a user without privileges; with the reason where that cannot be tried. */
const asNobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
function nobodyObstacle(): string | false {
  if (skip !== false) return skip;
  const [command = '', ...args] = [
    ...asNobody,
    process.execPath,
    '--check',
    join(here, 'example.ts'),
  ];
  if (spawnSync(command, args).status !== 0)
    return 'cannot become another user, or that user cannot read these files';
  const namespaces = spawnSync(command, [...args.slice(0, 5), 'unshare', '--user', 'true']);
  return namespaces.status === 0 ? false : 'users without privileges may not make namespaces here';
}

for (const [who, as, obstacle] of [
  ['root', [], skip || (isUserMapped() && 'not root')],
  ['a user without privileges', asNobody, nobodyObstacle()],
] as const) {
  test(`${who} joins from another terminal by the command given`, { skip: obstacle }, async () => {
    const { child, output } = await linger(as);
    try {
      const [, join = ''] = /^join (.*)$/m.exec(output()) ?? [];
      const [command = '', ...args] = [...as, ...join.split(' '), 'ip', 'netns', 'list'];
      const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
      const names = stdout.split('\n').map((line) => line.replace(/^lab-\d+-\d+-| .*$/g, ''));
      assert.deepEqual([names.sort(), stderr], [['', 'client', 'lan1', 'node1'], '']);
    } finally {
      child.kill('SIGKILL');
      await exitOf(child);
    }
  });
}

test('a user without privileges has the same lab', { skip: nobodyObstacle() }, () => {
  const [command = '', ...args] = [...asNobody, process.execPath, join(here, 'example.ts')];
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: outside,
    timeout: 30_000,
  });
  assert.deepEqual([status, stderr], [0, '']);
  const { sent, received, outages } = JSON.parse(stdout) as Record<string, unknown>;
  assert.ok(Number(sent) > Number(received));
  assert.equal((outages as unknown[]).length, 1);
});
