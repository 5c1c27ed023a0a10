import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { takeDown, unplug } from '../../lab/faults/cut.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { ipOf } from '../../src/model/ip.ts';
import { AgentWorld } from './agent-world.ts';
import { ipBatch } from './host-kernel.ts';

const skip = missing('ip', 'ping', 'setpriv');
const vips = ['192.0.2.100', '2001:db8:1::100'];
const gateways = ['192.0.2.1', '2001:db8:1::1'];
const nodeIn = (place: string) => Number(/^node(\d+)/.exec(place)?.[1]);

/** Links that come back are used again after a second instead of five. */
const local = { failover: { linkSettle: '1s' } };

async function areOn(world: AgentWorld, link: string): Promise<void> {
  for (const ip of vips) {
    const place = `node1 ${link}/${ip.includes(':') ? 64 : 24}`;
    await eventually(async () => assert.deepEqual(await world.places(ip), [place]), {
      withinMs: 15_000,
    });
    await eventually(async () => assert.notEqual(await ping(world.client, ipOf(ip)), undefined), {
      withinMs: 10_000,
    });
  }
}

/** What a link loses when it goes down or away. */
async function restore(host: Host, link: string): Promise<void> {
  await ipBatch(
    host,
    `address replace ${host.ipv4}/24 dev ${link}`,
    `address replace ${host.ipv6}/64 dev ${link} nodad`,
    'route replace default via 192.0.2.1',
    'route replace default via 2001:db8:1::1',
  );
}

/** How many addresses the agent has put anywhere and taken away so far. */
async function changesOf(world: AgentWorld, number: number): Promise<readonly string[]> {
  const text = await world.read(number, '/metrics');
  return [
    ...text.matchAll(/^purelb_lbnodeagent_address_(?:additions|withdrawals)_total .*$/gm),
  ].map(([line]) => line);
}

test('a link that is renamed, up or down, keeps its addresses or gets them back, and other changes to it do nothing', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1, local });
  await world.members(1);
  await world.service('web', { ips: vips });
  await areOn(world, 'eth0');
  const host = world.lab.node(1);
  const before = await changesOf(world, 1);
  await ipBatch(host, 'link set eth0 mtu 1400', 'link set eth0 txqueuelen 500');
  await ipBatch(host, 'link set eth0 alias uplink', 'link set eth0 mtu 1500');
  // Kernels from 6.2 on rename a link that is up.
  await ipBatch(host, 'link set eth0 name lan0');
  await areOn(world, 'lan0');
  await eventually(
    async () => {
      const notes = await world.annotations('web');
      assert.equal(notes['purelb.io/announcing-IPv4'], 'node1,lan0,192.0.2.100');
      assert.equal(notes['purelb.io/announcing-IPv6'], 'node1,lan0,2001:db8:1::100');
    },
    { withinMs: 5000 },
  );
  assert.deepEqual(await changesOf(world, 1), before);
  await ipBatch(host, 'link set lan0 down', 'link set lan0 name eth0', 'link set eth0 up');
  await restore(host, 'eth0');
  await areOn(world, 'eth0');
});

test('a bridge that is deleted and made anew gets its addresses back', { skip }, async () => {
  await using world = await AgentWorld.open({ nodes: 1, local, agents: [] });
  const host = world.lab.node(1);
  const make = ['link add br0 address 02:00:5e:00:53:01 type bridge', 'link set br0 up'];
  const join = 'link set eth0 master br0';
  await ipBatch(host, 'address flush dev eth0 scope global', ...make, join);
  await restore(host, 'br0');
  await world.startAgent(1);
  await world.members(1);
  await world.service('web', { ips: vips });
  await areOn(world, 'br0');
  for (const pauseMs of [0, 500]) {
    await ipBatch(host, 'link del br0');
    await sleep(pauseMs);
    await ipBatch(host, ...make, join);
    await restore(host, 'br0');
    await areOn(world, 'br0');
  }
  for (const ip of vips) assert.notEqual(await ping(world.client, ipOf(ip)), undefined);
});

for (const [what, cut] of [
  ['is set down', takeDown],
  ['loses its carrier', unplug],
] as const) {
  test(`when a link ${what} its addresses go to another node, and stay there when it is back`, {
    skip,
  }, async () => {
    await using world = await AgentWorld.open({ nodes: 2, local });
    await world.members(2);
    await world.service('web', { ips: vips });
    const place = await world.onePlace(vips[0] ?? '');
    await world.onePlace(vips[1] ?? '');
    const [from, to] = [nodeIn(place), 3 - nodeIn(place)];
    const fault = await cut(world.lab.node(from).nic());
    for (const ip of vips) {
      await eventually(
        async () => {
          const found = await world.places(ip);
          assert.deepEqual(found.map(nodeIn), [to]);
          assert.notEqual(await ping(world.client, ipOf(ip)), undefined);
        },
        { withinMs: 15_000 },
      );
    }
    await fault.heal();
    await sleep(2500);
    for (const ip of vips) assert.deepEqual((await world.places(ip)).map(nodeIn), [to]);
    // It may hold addresses again, and whoever held them meanwhile is still known as a member.
    await world.lab.node(to).run(['ip', 'link', 'set', 'eth0', 'down']);
    for (const ip of vips) {
      await eventually(async () => assert.deepEqual((await world.places(ip)).map(nodeIn), [from]), {
        withinMs: 15_000,
      });
    }
    const told = await world.eventsOf('web');
    assert.deepEqual(
      told.filter((text) => text.startsWith('AddressConflict')),
      [],
    );
  });
}

test('a default route that is gone for a moment, and a carrier that is, move nothing', {
  skip,
}, async () => {
  // Two seconds without a carrier are a moment on a machine that has other things to do.
  const patient = { failover: { linkSettle: '1s', misses: 20 } };
  await using world = await AgentWorld.open({ nodes: 2, local: patient });
  await world.members(2);
  await world.service('web', { ips: vips });
  const places: string[] = [];
  for (const ip of vips) places.push(await world.onePlace(ip));
  const before = await Promise.all([1, 2].map((number) => changesOf(world, number)));
  for (const host of world.lab.nodes) {
    for (let round = 0; round < 5; round++) {
      await ipBatch(
        host,
        'route del default via 192.0.2.1',
        'route del default via 2001:db8:1::1',
        'route add default via 192.0.2.1 metric 50',
        'route add default via 2001:db8:1::1 metric 50',
        'route replace default via 192.0.2.1',
        'route replace default via 2001:db8:1::1',
        'route del default via 192.0.2.1 metric 50',
        'route del default via 2001:db8:1::1 metric 50',
      );
    }
    const cable = await unplug(host.nic());
    await cable.heal();
  }
  // As when routing daemons are restarted everywhere.
  const change = (verb: string) =>
    Promise.all(
      world.lab.nodes.map((host) =>
        ipBatch(host, ...gateways.map((gateway) => `route ${verb} default via ${gateway}`)),
      ),
    );
  await change('del');
  await sleep(1000);
  await change('add');
  await sleep(1500);
  assert.deepEqual(await Promise.all([1, 2].map((number) => changesOf(world, number))), before);
  for (const [index, ip] of vips.entries()) {
    assert.deepEqual(await world.places(ip), [places[index]]);
  }
  // A node that has none for longer is not the one to hold addresses.
  const loser = world.lab.host((places[0] ?? '').split(' ')[0] ?? '');
  await ipBatch(loser, ...gateways.map((gateway) => `route del default via ${gateway}`));
  for (const ip of vips) {
    await eventually(
      async () => {
        const found = await world.places(ip);
        assert.equal(found.length, 1);
        assert.ok(!found[0]?.startsWith(loser.name));
      },
      { withinMs: 15_000 },
    );
  }
});
