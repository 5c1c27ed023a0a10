import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { missing } from '../missing.ts';
import { monotonicMs } from '../monotonic.ts';
import { ping } from '../traffic/ping.ts';
import { namespaces, processesIn } from './demolish.ts';
import type { Host } from './host.ts';
import { Lab, lan } from './lab.ts';
import { planHost, planLan } from './plan-lan.ts';

const skip = missing('ip', 'ping', 'setpriv');
const families = ['ipv4', 'ipv6'] as const;

/** Every pair and family that gets no answer, as `node1 → node2 ipv4`. */
async function unreached(from: readonly Host[], to: readonly Host[]): Promise<readonly string[]> {
  const tries = from.flatMap((source) =>
    to.flatMap((target) => families.map((family) => ({ source, target, family }))),
  );
  const silent = await Promise.all(
    tries.map(async ({ source, target, family }) => {
      const time = await ping(source, target.address(family));
      return time === undefined ? [`${source.name} → ${target.name} ${family}`] : [];
    }),
  );
  return silent.flat();
}

test('two LANs with five nodes, a router and a client stand within two seconds', {
  skip,
}, async () => {
  const startedAt = monotonicMs();
  await using lab = await lan({ nodes: [3, 2] });
  const tookMs = monotonicMs() - startedAt;
  assert.deepEqual(
    lab.hosts.map(({ name }) => name),
    ['router', 'node1', 'node2', 'node3', 'node4', 'node5', 'client'],
  );
  assert.ok(tookMs < 2000, `took ${tookMs} ms`);
});

test('everybody reaches everybody at once, within a LAN and across the router', {
  skip,
}, async () => {
  await using lab = await lan({ nodes: [2, 1] });
  assert.deepEqual(await unreached(lab.hosts, lab.hosts), []);
});

test('links are as planned: MAC, addresses in use at once, MTU', { skip }, async () => {
  await using lab = await lan({ nodes: 1, mtu: 9000 });
  const node = lab.node(1);
  assert.deepEqual(await node.links(), [
    {
      name: 'eth0',
      mac: '02:00:00:01:00:11',
      state: 'UP',
      hasCarrier: true,
      addresses: ['192.0.2.11/24', '2001:db8:1::11/64'],
    },
  ]);
  const { stdout } = await node.run(['ip', 'address', 'show', 'dev', 'eth0']);
  assert.match(stdout, /mtu 9000/);
  assert.doesNotMatch(stdout, /tentative/);
  const withoutFragments = ['-M', 'do', '-s', String(9000 - 28)];
  await lab.client.run(['ping', '-c', '1', '-W', '1', ...withoutFragments, node.ipv4]);
});

test('duplicate address detection is on where it is asked for', { skip }, async () => {
  await using lab = await lan({ nodes: 1, detectsDuplicates: true });
  await lab.node(1).run(['ip', 'address', 'add', '2001:db8:1::100/64', 'dev', 'eth0']);
  const { stdout } = await lab.node(1).run(['ip', '-6', 'address', 'show', 'tentative']);
  assert.match(stdout, /2001:db8:1::100/);
});

test('one family alone is possible', { skip }, async () => {
  await using lab = await lan({ nodes: 1, families: ['ipv4'] });
  const [link] = await lab.node(1).links();
  assert.deepEqual(link?.addresses, ['192.0.2.11/24']);
  assert.notEqual(await ping(lab.client, lab.node(1).ipv4), undefined);
});

test('a node joins later, with a NIC on each LAN', { skip }, async () => {
  await using lab = await lan({ nodes: [1, 1] });
  const segments = lab.segments.slice(0, 2).map(({ plan }) => plan);
  const joining = { name: 'node3', role: 'node', number: 13, segments, hasRouter: true } as const;
  await lab.add({ segments: [], hosts: [planHost(joining)] });
  assert.deepEqual(
    lab.nodes.map(({ name }) => name),
    ['node1', 'node2', 'node3'],
  );
  assert.deepEqual(await unreached([lab.node(1), lab.node(2), lab.client], [lab.node(3)]), []);
  assert.equal((await lab.node(3).links()).length, 2);
});

test('labs live side by side without hearing of each other', { skip }, async () => {
  const [first, second] = await Promise.all([lan({ nodes: 1 }), lan({ nodes: 2 })]);
  await using left = first;
  await using right = second;
  assert.deepEqual(await unreached([left.client], [left.node(1)]), []);
  // The other lab has a node of this name and address, this one has not.
  assert.equal(await ping(left.client, right.node(2).ipv4, 200), undefined);
});

test('a lab that is done with leaves no namespace and no process', { skip }, async () => {
  const before = namespaces();
  let pids: readonly number[] = [];
  {
    await using lab = await lan({ nodes: 1 });
    const { namespace } = lab.node(1);
    await lab.node(1).start(['sleep', '600']);
    // Daemons leave their process group.
    await lab.node(1).start(['sh', '-c', 'setsid sleep 600 & wait']);
    await eventually(() => assert.equal(processesIn([namespace]).length, 3), { withinMs: 2000 });
    pids = processesIn([namespace]);
  }
  assert.deepEqual(namespaces(), before);
  assert.deepEqual(pids.filter(isAlive), []);
});

test('a program that is still starting when its lab goes does not escape', { skip }, async () => {
  for (let round = 0; round < 5; round++) {
    let outcome: Promise<unknown> = Promise.resolve();
    {
      await using lab = await lan({ nodes: 1 });
      const starting = lab.node(1).start(['sleep', '600'], { ready: /never/ });
      outcome = starting.catch((error: unknown) => error);
    }
    assert.match(String(await outcome), /it ended \(SIGKILL\) before/);
  }
});

test('a test that throws leaves nothing either', { skip }, async () => {
  const before = namespaces();
  const failing = async () => {
    await using lab = await lan({ nodes: 1 });
    await lab.node(1).start(['sleep', '600']);
    throw new Error('on purpose');
  };
  await assert.rejects(failing(), /on purpose/);
  assert.deepEqual(namespaces(), before);
});

test('a lab that cannot be built leaves nothing', { skip }, async () => {
  const before = namespaces();
  const bad = planLan({ nodes: 1 });
  const twins = { ...bad, hosts: bad.hosts.map((host) => ({ ...host, name: 'twin' })) };
  await assert.rejects(Lab.build(twins), /File exists/);
  assert.deepEqual(namespaces(), before);
});

test('what a killed process left is swept up by the next lab', { skip }, async () => {
  const program = `
    const { lan } = await import(${JSON.stringify(import.meta.resolve('./lab.ts'))});
    const lab = await lan({ nodes: 1 });
    await lab.node(1).start(['setsid', 'sleep', '600']);
    console.log(lab.prefix);
    await new Promise(() => setInterval(() => {}, 1000));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const prefix = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  const left = () => namespaces().filter((name) => name.startsWith(prefix));
  assert.deepEqual(left().length, 3);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  const pids = processesIn(left());
  await using _ = await lan({ nodes: 1 });
  assert.deepEqual(left(), []);
  assert.deepEqual(pids.filter(isAlive), []);
});

test('what is not there is named, with what is', { skip }, async () => {
  await using lab = await lan({ nodes: 2 });
  assert.throws(
    () => lab.host('node7'),
    /no host "node7" in this lab; there are: node1, node2, client/,
  );
  assert.throws(() => lab.router, /no host "router"/);
  assert.throws(() => lab.node(1).nic('eth1'), /node1 has no NIC eth1/);
  await assert.rejects(
    lab.node(1).run(['sh', '-c', 'echo oh no >&2; exit 3']),
    /ended with 3: oh no/,
  );
});

/** A zombie that nobody has fetched yet is as good as gone. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
