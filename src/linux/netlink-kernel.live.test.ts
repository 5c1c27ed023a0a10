import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { frames } from '../wire/netlink-frames.fixture.ts';
import { add, listen, refresh, succeed } from './kernel-world.contract.ts';
import * as libc from './libc.ts';
import { NetlinkKernel, type NetlinkKernelOptions } from './netlink-kernel.ts';

const skip = missing('ip');

function ip(command: string, input?: string): void {
  const argv = input === undefined ? command.split(' ') : ['-batch', '-'];
  execFileSync('ip', argv, { input: input ?? '', stdio: ['pipe', 'ignore', 'pipe'] });
}

/** Closed when the test ends, however it does: an open poll would keep the process alive. */
async function open(
  context: TestContext,
  options: NetlinkKernelOptions = {},
): Promise<NetlinkKernel> {
  enterFreshNamespace();
  const kernel = new NetlinkKernel(options);
  context.after(() => kernel.close());
  await kernel.ensureVirtualLink('kube-lb0');
  return kernel;
}

function prefixes(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `2001:db8::${(index + 1).toString(16)}/128`);
}

test('a storm of events is one resync, and later events still come', { skip }, async (context) => {
  const kernel = await open(context, { eventBufferBytes: 2048 });
  const { log, sees } = listen(kernel);
  await succeed(kernel, add('kube-lb0', '192.0.2.1/32'));
  await sees('address-added kube-lb0: 192.0.2.1/32 ours 300s noprefixroute');
  // Synchronous: nothing can be received meanwhile.
  const lines = Array.from({ length: 5000 }, () => [
    'addr add 192.0.2.2/32 dev kube-lb0',
    'addr del 192.0.2.2/32 dev kube-lb0',
  ]);
  ip('', `${lines.flat().join('\n')}\n`);
  await sees('resync');
  await succeed(kernel, add('kube-lb0', '192.0.2.3/32'));
  await sees('address-added kube-lb0: 192.0.2.3/32 ours 300s noprefixroute');
  assert.equal(log.filter((line) => line === 'resync').length, 1);
  assert.ok(log.length < 5000, `${log.length} events`);
});

test('a link that goes while its addresses are added fails those alone', {
  skip,
}, async (context) => {
  const kernel = await open(context);
  ip('link add dev doomed type veth peer name far0');
  const changes = prefixes(3000).flatMap((prefix) => [
    add('kube-lb0', prefix),
    add('doomed', prefix),
  ]);
  const applying = kernel.apply(changes);
  setImmediate(() => ip('link del dev doomed'));
  const failures = await applying;
  assert.ok(failures.length > 0, 'nothing failed: the link went too late');
  assert.deepEqual(
    new Set(failures.map(({ change, code, errno }) => `${change.address.link} ${code} ${errno}`)),
    new Set(['doomed LinkGone ENODEV']),
  );
  const held = (await kernel.addresses()).filter(({ isOurs }) => isOurs);
  assert.deepEqual(
    [held.length, new Set(held.map(({ link }) => link))],
    [3000, new Set(['kube-lb0'])],
  );
});

/**
 * Adds and removes foreign addresses as fast as it can until it is stopped. The kernel keeps new IPv6 addresses in
 * front of older ones and counts through them, so a dump under way then skips some: exactly what must be noticed.
 */
function startMeddler(): ChildProcess {
  const lines = Array.from({ length: 100 }, (_, index) => [
    `addr add 2001:db8:ff::${index}/128 dev kube-lb0`,
    `addr del 2001:db8:ff::${index}/128 dev kube-lb0`,
  ]);
  const script = 'while printf "$1"; do :; done | exec ip -force -batch -';
  return spawn('sh', ['-c', script, 'sh', `${lines.flat().join('\\n')}\\n`], {
    stdio: 'ignore',
    detached: true,
  });
}

function stopMeddler({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

test('what others do meanwhile neither fails our changes nor shortens what is read', {
  skip,
}, async (context) => {
  const kernel = await open(context);
  const wanted = prefixes(800);
  await succeed(kernel, ...wanted.map((prefix) => add('kube-lb0', prefix)));
  const tally = { whole: 0, unknown: 0, foreignChanges: 0 };
  kernel.changes((event) => {
    if (event.kind === 'address-added' && !event.address.isOurs) tally.foreignChanges += 1;
  });
  const meddler = startMeddler();
  try {
    const isShown = () => tally.whole > 0 && tally.foreignChanges > 20;
    // How often a read comes whole, and an event is not drowned by the others, depends on the machine.
    for (let round = 0; round < 60 || (round < 1000 && !isShown()); round++) {
      await new Promise(setImmediate);
      const failures = await kernel.apply(
        wanted.slice(0, 20).map((prefix) => refresh('kube-lb0', prefix)),
      );
      // Unknown is a possible answer while the tables never stand still; a wrong one is not.
      assert.deepEqual(
        failures.filter(({ code }) => code !== 'Unknown'),
        [],
      );
      const addresses = await kernel.addresses().catch((error: { code?: string }) => error.code);
      if (addresses === 'NETLINK_INTERRUPTED') {
        tally.unknown += 1;
        continue;
      }
      assert.ok(Array.isArray(addresses), `${addresses}`);
      assert.equal(addresses.filter(({ isOurs }) => isOurs).length, wanted.length);
      tally.whole += 1;
    }
  } finally {
    stopMeddler(meddler);
  }
  context.diagnostic(JSON.stringify(tally));
  assert.ok(tally.whole > 0 && tally.foreignChanges > 20, JSON.stringify(tally));
});

/** struct sockaddr_nl */
function netlinkAddress(port: number, groups: number): Uint8Array {
  const address = new Uint8Array(12);
  const view = new DataView(address.buffer);
  view.setUint16(0, libc.AF_NETLINK, true);
  view.setUint32(4, port, true);
  view.setUint32(8, groups, true);
  return address;
}

test('messages that another process forges are not taken for the kernel’s', {
  skip,
}, async (context) => {
  const kernel = await open(context);
  const { log, sees } = listen(kernel);
  await succeed(kernel, add('kube-lb0', '192.0.2.1/32'));
  await sees('address-added kube-lb0: 192.0.2.1/32 ours 300s noprefixroute');
  const heard = log.length;
  const fd = libc.openSocket(libc.AF_NETLINK, libc.SOCK_RAW, 0);
  const forgeries = [Uint8Array.of(1, 2, 3), new Uint8Array(64), frames.eventLinkRemoved];
  for (const forgery of forgeries) {
    for (const groups of [0x1, 0x10, 0x40, 0x100, 0x400]) {
      assert.ok(libc.sendTo(fd, forgery, netlinkAddress(0, groups)) > 0);
    }
    // The kernel gives the process's first socket its process id as port.
    libc.sendTo(fd, forgery, netlinkAddress(process.pid, 0));
  }
  libc.close(fd);
  await succeed(kernel, add('kube-lb0', '192.0.2.2/32'));
  await sees('address-added kube-lb0: 192.0.2.2/32 ours 300s noprefixroute');
  assert.deepEqual(log.slice(heard), [
    'address-added kube-lb0: 192.0.2.2/32 ours 300s noprefixroute',
  ]);
});

test('a port that leaves its bridge is told as a change, not as a removed link', {
  skip,
}, async (context) => {
  const kernel = await open(context);
  ip('link add dev eth0 type veth peer name far0');
  if (spawnSync('ip', ['link', 'add', 'dev', 'br0', 'type', 'bridge']).status !== 0) {
    context.skip('this kernel has no bridges');
    return;
  }
  ip('link set dev eth0 master br0');
  const { log, sees } = listen(kernel);
  ip('link set dev eth0 nomaster');
  await sees('link-changed eth0');
  ip('link set dev eth0 mtu 1400');
  await eventually(() => assert.ok(log.filter((line) => line === 'link-changed eth0').length > 1), {
    withinMs: 2000,
  });
  assert.deepEqual(
    log.filter((line) => line.startsWith('link-removed')),
    [],
  );
});

const inUserNamespace = `
import { NetlinkKernel } from '${new URL('netlink-kernel.ts', import.meta.url).pathname}';
const kernel = new NetlinkKernel();
const stop = kernel.changes((event) => {
  if (event.kind !== 'link-added') return;
  process.stdout.write(event.link.name);
  stop();
  kernel.close();
});
await kernel.ensureVirtualLink('kube-lb0');
`;

test('works in a user namespace, which may not force its buffer sizes', {
  skip,
}, async (context) => {
  const node = [process.execPath, '--input-type=module', '-e', inUserNamespace];
  const child = spawn('unshare', ['--user', '--map-root-user', '--net', ...node], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let problems = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (problems += chunk));
  const [code] = await once(child, 'close');
  if (problems.startsWith('unshare:')) {
    context.skip(problems.trim());
    return;
  }
  assert.deepEqual([code, output, problems], [0, 'kube-lb0', '']);
});
