import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { startResponder } from '../../lab/traffic/responder.ts';
import { startUdpClient } from '../../lab/traffic/udp-client.ts';
import { daemonSets, leases } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { AgentWorld, installNamespace } from './agent-world.ts';

const skip = missing('ip', 'setpriv');
const vips = ['192.0.2.100', '2001:db8:1::100'];
const nodeIn = (place: string) => Number(/^node(\d+)/.exec(place)?.[1]);

/** The world with a Service, a responder on each node, and where its addresses are. */
async function serve(world: AgentWorld): Promise<readonly string[]> {
  await Promise.all(world.lab.nodes.map((host) => startResponder(host)));
  await world.members(3);
  await world.service('web', { ips: vips });
  const places: string[] = [];
  for (const ip of vips) places.push(await world.onePlace(ip));
  await eventually(
    async () => assert.ok((await world.annotations('web'))['purelb.io/announcing-IPv6']),
    { withinMs: 3000 },
  );
  return places;
}

for (const [how, end] of [
  ['killed', (world: AgentWorld, number: number) => world.agent(number).kill()],
  ['stopped', (world: AgentWorld, number: number) => world.agent(number).stop()],
] as const) {
  test(`no packet is lost and nothing moves when all agents are ${how} and start again`, {
    skip,
  }, async () => {
    await using world = await AgentWorld.open();
    const places = await serve(world);
    const clients = [];
    for (const ip of vips) {
      clients.push(await startUdpClient(world.client, { to: ipOf(ip), perSecond: 200 }));
    }
    for (const number of [1, 2, 3]) {
      await end(world, number);
      await sleep(300);
      await world.startAgent(number);
    }
    await sleep(1500);
    for (const client of clients) {
      const { lost, received } = await client.stop();
      assert.deepEqual({ lost, hasReceived: received > 500 }, { lost: 0, hasReceived: true });
    }
    for (const [index, ip] of vips.entries()) {
      assert.deepEqual(await world.places(ip), [places[index]]);
    }
  });
}

test('an agent that is gone for longer than its Lease keeps its addresses: its kernel answers', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ agents: [] });
  const short = ['--lease-duration', '2s'];
  await Promise.all([1, 2, 3].map((number) => world.startAgent(number, short)));
  const [place = ''] = await serve(world);
  await world.agent(nodeIn(place)).kill();
  await sleep(5000);
  assert.deepEqual(await world.places(vips[0] ?? ''), [place]);
  await world.startAgent(nodeIn(place), short);
  await sleep(1500);
  assert.deepEqual(await world.places(vips[0] ?? ''), [place]);
});

test('when a node dies another one takes its addresses, and when it returns nothing moves', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ agents: [] });
  const short = ['--lease-duration', '2s'];
  await Promise.all([1, 2, 3].map((number) => world.startAgent(number, short)));
  const [place = ''] = await serve(world);
  const [ip = ''] = vips;
  const dead = world.lab.node(nodeIn(place));
  await world.agent(nodeIn(place)).kill();
  await dead.run(['ip', 'link', 'set', 'eth0', 'down']);
  const taker = await eventually(
    async () => {
      const found = (await world.places(ip)).filter((each) => !each.startsWith(dead.name));
      assert.equal(found.length, 1);
      return found[0] ?? '';
    },
    { withinMs: 10_000 },
  );
  // As after a power cut: its kernel has forgotten what it held.
  await dead.run(['ip', 'address', 'flush', 'dev', 'eth0', 'scope', 'global']);
  await dead.run(['ip', 'link', 'set', 'eth0', 'up']);
  await dead.run(['ip', 'address', 'add', `${dead.ipv4}/24`, 'dev', 'eth0']);
  await dead.run(['ip', 'address', 'add', `${dead.ipv6}/64`, 'dev', 'eth0', 'nodad']);
  await dead.run(['ip', 'route', 'replace', 'default', 'via', '192.0.2.1']);
  await world.startAgent(nodeIn(place), short);
  await sleep(8000);
  assert.deepEqual(await world.places(ip), [taker]);
});

test('a Lease that someone deletes is there again, and nothing moves', { skip }, async () => {
  await using world = await AgentWorld.open();
  const places = await serve(world);
  for (const { metadata } of await world.members(3)) {
    await world.cluster.delete(leases, { namespace: installNamespace, name: metadata.name });
  }
  await world.members(3);
  await sleep(1000);
  for (const [index, ip] of vips.entries()) {
    assert.deepEqual(await world.places(ip), [places[index]]);
  }
});

test('addresses stay when an agent stops, unless its DaemonSet is gone: then nothing is left', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1, agents: [] });
  const labels = { app: 'purelb' };
  const name = 'lbnodeagent';
  const containers = [{ name, image: 'purelb' }];
  await world.cluster.create(daemonSets, {
    metadata: { name, namespace: installNamespace },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  const remote = '203.0.113.200';
  await world.service('web', { ips: vips });
  await world.service('far', { ips: [remote], group: 'public', type: 'remote' });
  await world.startAgent(1, ['--daemonset', name]);
  for (const ip of [...vips, remote]) await world.onePlace(ip);
  await world.agent(1).stop();
  for (const ip of [...vips, remote]) assert.equal((await world.places(ip)).length, 1);
  await world.startAgent(1, ['--daemonset', name]);
  await world.cluster.delete(daemonSets, { namespace: installNamespace, name });
  assert.deepEqual(await world.agent(1).stop(), { code: 0, signal: null });
  for (const ip of [...vips, remote]) assert.deepEqual(await world.places(ip), []);
  const names = (await world.lab.node(1).links()).map((link) => link.name);
  assert.deepEqual(names, ['eth0']);
});
