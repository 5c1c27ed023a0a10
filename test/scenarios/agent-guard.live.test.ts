import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { startResponder } from '../../lab/traffic/responder.ts';
import { startTcpClient, type TcpClient } from '../../lab/traffic/tcp-client.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { daemonSets, lbNodeAgents, services } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { AgentWorld, installNamespace } from './agent-world.ts';
import { type Answer, type Door, knock } from './knock.ts';

const skip = missing('ip', 'nft', 'ping', 'setpriv');
const vips = ['192.0.2.100', '2001:db8:1::100'];
const farVips = ['203.0.113.200', '2001:db8:aa::200'];
const all = [...vips, ...farVips];
/** Of the Service, and of something that listens on every address of the node, as an SSH server does. */
const open = 80;
const closed = 7777;

async function guard(world: AgentWorld, isOn: boolean): Promise<void> {
  const patch = mergePatch({ spec: { local: { guard: isOn } } });
  await world.cluster.patch(lbNodeAgents, { namespace: installNamespace, name: 'default' }, patch);
}

async function table(host: Host): Promise<string> {
  return (await host.attempt(['nft', 'list', 'table', 'inet', 'purelb'])).stdout;
}

async function isOnGuard(host: Host, isOn: boolean): Promise<void> {
  await eventually(async () => assert.equal((await table(host)) !== '', isOn), {
    withinMs: 10_000,
  });
}

function doors(ips: readonly string[], port: number, more: Partial<Door> = {}): readonly Door[] {
  const protocols = ['TCP', 'UDP'] as const;
  return ips.flatMap((ip) => protocols.map((protocol) => ({ protocol, ip, port, ...more })));
}

async function answersOf(host: Host, tried: readonly Door[]): Promise<readonly string[]> {
  return [...new Set<Answer>(await knock(host, tried))];
}

/** As kube-proxy makes every node do: connections are tracked, and its rewritten packets pass by the guard. */
const proxy = (vip4: string, vip6: string, node4: string, node6: string) => `
table inet proxy {
  chain prerouting {
    type nat hook prerouting priority dstnat;
    ip daddr ${vip4} tcp dport 30080 dnat ip to ${node4}:${closed}
    ip6 daddr ${vip6} tcp dport 30080 dnat ip6 to [${node6}]:${closed}
  }
  chain forward { type filter hook forward priority filter; ct state new accept; }
}
`;

const ports = (['TCP', 'UDP'] as const).map((protocol) => {
  return { name: protocol.toLowerCase(), protocol, port: open };
});

/** One node with responders behind both ports, a local and a remote address, and the way there. */
async function openWorld(args: readonly string[] = []): Promise<AgentWorld> {
  const world = await AgentWorld.open({ nodes: 1, agents: [] });
  const host = world.lab.node(1);
  const [near4 = '', near6 = ''] = vips;
  await host.run(['nft', '-f', '-'], { input: proxy(near4, near6, host.ipv4, host.ipv6) });
  for (const port of [open, closed]) await startResponder(host, { port });
  await startResponder(world.client);
  await world.startAgent(1, args);
  await world.service('web', { ips: vips, spec: { ports } });
  await world.service('far', { ips: farVips, group: 'public', type: 'remote', spec: { ports } });
  for (const ip of all) await world.onePlace(ip);
  const [far4 = '', far6 = ''] = farVips;
  await world.client.run(['ip', 'route', 'add', far4, 'via', host.ipv4]);
  await world.client.run(['ip', 'route', 'add', far6, 'via', host.ipv6]);
  return world;
}

async function goesOn(connection: TcpClient): Promise<void> {
  const { echoed } = connection.progress;
  await eventually(() => assert.ok(connection.progress.echoed > echoed), { withinMs: 5000 });
}

test('only the ports of Services are to be had at their addresses where they are guarded', {
  skip,
}, async () => {
  await using world = await openWorld();
  const { client } = world;
  const host = world.lab.node(1);
  const own = [host.ipv4, host.ipv6];
  assert.equal(await table(host), '');
  assert.deepEqual(await answersOf(client, doors([...all, ...own], closed)), ['answer']);
  const standing = await Promise.all(
    vips.map((ip) => startTcpClient(client, { to: ipOf(ip), port: closed })),
  );
  for (const connection of standing) await goesOn(connection);

  await guard(world, true);
  await isOnGuard(host, true);
  assert.deepEqual(await answersOf(client, doors(all, closed)), ['silence']);
  assert.deepEqual(await answersOf(client, doors(own, closed)), ['answer']);
  assert.deepEqual(await answersOf(client, doors(all, open)), ['answer']);
  assert.deepEqual(await answersOf(client, doors(all, open, { size: 4000 })), ['answer']);
  await client.run(['ip', 'neighbour', 'flush', 'all']);
  for (const ip of all) assert.ok((await ping(client, ipOf(ip))) !== undefined, ip);
  for (const connection of standing) {
    await goesOn(connection);
    const { reconnects, ends } = await connection.stop();
    assert.deepEqual({ reconnects, ends }, { reconnects: 0, ends: [] });
  }

  await guard(world, false);
  await isOnGuard(host, false);
  assert.deepEqual(await answersOf(client, doors(all, closed)), ['answer']);
});

test('a guarded node reaches others from its addresses, and itself, and what is rewritten passes', {
  skip,
}, async () => {
  await using world = await openWorld();
  const host = world.lab.node(1);
  await guard(world, true);
  await isOnGuard(host, true);
  for (const from of vips) {
    const ip = from.includes(':') ? world.client.ipv6 : world.client.ipv4;
    const door: Door = { protocol: 'TCP', ip, port: closed, from };
    assert.deepEqual(await knock(host, [door]), ['answer'], from);
  }
  assert.deepEqual(await answersOf(host, doors(all, closed)), ['answer']);
  const nodePorts = vips.map((ip): Door => ({ protocol: 'TCP', ip, port: 30_080 }));
  assert.deepEqual(await answersOf(world.client, nodePorts), ['answer']);
});

test('the guard follows Services, outlives its agent, and goes with the DaemonSet', {
  skip,
}, async () => {
  const name = 'lbnodeagent';
  await using world = await openWorld(['--daemonset', name]);
  const { client } = world;
  const host = world.lab.node(1);
  await createDaemonSet(world, name);
  await guard(world, true);
  await isOnGuard(host, true);
  await world.cluster.patch(
    services,
    { namespace: 'shop', name: 'web' },
    mergePatch({
      spec: { ports: [...ports, { name: 'more', protocol: 'TCP', port: closed }] },
    }),
  );
  const more = vips.map((ip): Door => ({ protocol: 'TCP', ip, port: closed }));
  await eventually(async () => assert.deepEqual(await answersOf(client, more), ['answer']), {
    withinMs: 10_000,
  });
  const isDropped = doors(farVips, closed);
  assert.deepEqual(await answersOf(client, isDropped), ['silence']);
  const { addresses, openings } = await readGuard(world);
  assert.deepEqual([...addresses].sort(), [...all].sort());
  assert.equal(openings.length, 10);

  const before = await table(host);
  await world.agent(1).kill();
  assert.deepEqual(await answersOf(client, isDropped), ['silence']);
  await world.startAgent(1, ['--daemonset', name]);
  await eventually(async () => assert.equal((await readGuard(world)).openings.length, 10), {
    withinMs: 10_000,
  });
  await world.agent(1).stop();
  assert.equal(withoutCounts(await table(host)), withoutCounts(before));
  assert.doesNotMatch(await table(host), /packets 0 /, 'it was never made anew');
  assert.deepEqual(await answersOf(client, isDropped), ['silence']);

  await world.startAgent(1, ['--daemonset', name]);
  await world.cluster.delete(daemonSets, { namespace: installNamespace, name });
  await world.agent(1).stop();
  assert.equal(await table(host), '');
});

interface GuardState {
  readonly addresses: readonly string[];
  readonly openings: readonly string[];
}

async function readGuard(world: AgentWorld): Promise<GuardState> {
  return (JSON.parse(await world.state(1)) as { guard: GuardState }).guard;
}

function withoutCounts(text: string): string {
  return text.replace(/packets \d+ bytes \d+/, '');
}

async function createDaemonSet(world: AgentWorld, name: string): Promise<void> {
  const labels = { app: 'purelb' };
  const template = { metadata: { labels }, spec: { containers: [{ name, image: 'purelb' }] } };
  await world.cluster.create(daemonSets, {
    metadata: { name, namespace: installNamespace },
    spec: { selector: { matchLabels: labels }, template },
  });
}
