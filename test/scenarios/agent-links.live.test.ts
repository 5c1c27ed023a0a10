import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { lanSegment, outsideSegment } from '../../lab/network/address-plan.ts';
import type { NetworkPlan } from '../../lab/network/network-plan.ts';
import { planHost } from '../../lab/network/plan-lan.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { lbNodeAgents } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { AgentWorld, installNamespace } from './agent-world.ts';
import { arpSettings, ipBatch } from './host-kernel.ts';

const skip = missing('ip', 'ping', 'setpriv');
const families = ['ipv4', 'ipv6'] as const;

/** Addresses for Services in each LAN. */
const first = { ipv4: '192.0.2.100', ipv6: '2001:db8:1::100' };
const second = { ipv4: '198.51.100.100', ipv6: '2001:db8:2::100' };

const poolsOf = (v4: string, v6: string) => ({
  v4pools: [{ subnet: `${v4}.0/24`, pool: `${v4}.100-${v4}.199`, aggregation: 'default' }],
  v6pools: [{ subnet: `${v6}::/64`, pool: `${v6}::100-${v6}::1ff`, aggregation: 'default' }],
});
const firstPools = poolsOf('192.0.2', '2001:db8:1');
const secondPools = poolsOf('198.51.100', '2001:db8:2');

async function areAt(world: AgentWorld, expected: Readonly<Record<string, readonly string[]>>) {
  await eventually(
    async () => {
      const found: Record<string, readonly string[]> = {};
      for (const ip of Object.keys(expected)) found[ip] = await world.places(ip);
      assert.deepEqual(found, expected);
    },
    { withinMs: 10_000 },
  );
}

test('in two subnets local addresses stay in their own, auto ones are virtual in the other, and all hosts reach each other', {
  skip,
}, async () => {
  const groups = {
    here: { announce: 'auto', local: firstPools },
    there: { announce: 'local', local: secondPools },
  };
  await using world = await AgentWorld.open({ nodes: [2, 2], groups });
  await world.members(4);
  const settings = await Promise.all(world.lab.nodes.map(arpSettings));
  await world.service('auto', { ips: Object.values(first), group: 'here' });
  await world.service('local', { ips: Object.values(second), group: 'there' });
  for (const family of families) {
    const length = family === 'ipv4' ? 32 : 128;
    await eventually(
      async () => {
        assert.match((await world.places(second[family])).join(), /^node[34] eth0\/\d+$/);
        const [local = '', ...virtual] = (await world.places(first[family])).toSorted(
          (left, right) => Number(right.includes('eth0')) - Number(left.includes('eth0')),
        );
        assert.match(local, /^node[12] eth0/);
        assert.deepEqual(virtual, [`node3 kube-lb0/${length}`, `node4 kube-lb0/${length}`]);
      },
      { withinMs: 10_000 },
    );
    for (const from of [...world.lab.nodes, world.client]) {
      for (const to of [...world.lab.nodes, world.client, world.lab.router]) {
        const reached = await ping(from, to.address(family));
        assert.notEqual(reached, undefined, `${from.name} does not reach ${to.name}`);
      }
      const reached = await ping(from, ipOf(second[family]));
      assert.notEqual(reached, undefined, `${from.name} does not reach ${second[family]}`);
    }
  }
  const unsafe = (await world.eventsOf('auto')).filter((text) => text.startsWith('Aggregation'));
  assert.match(unsafe.join('\n'), /192\.0\.2\.0\/24 on its virtual interface would cut it off/);
  assert.deepEqual(await Promise.all(world.lab.nodes.map(arpSettings)), settings);
});

/** One node with a card in each of two LANs, of which the first leads to the default gateway. */
function planTwoCards(): NetworkPlan {
  const [one, two] = [lanSegment(1), lanSegment(2)];
  const segments = [one, two, outsideSegment];
  return {
    segments,
    hosts: [
      planHost({ name: 'router', role: 'router', number: 1, segments }),
      planHost({ name: 'node1', role: 'node', number: 11, segments: [one, two], hasRouter: true }),
      planHost({ name: 'client1', role: 'client', number: 91, segments: [one], hasRouter: true }),
    ],
  };
}

async function configure(world: AgentWorld, local: object): Promise<void> {
  const ref = { namespace: installNamespace, name: 'default' };
  await world.cluster.patch(lbNodeAgents, ref, mergePatch({ spec: { local } }));
}

test('with two cards addresses are on those that are configured or that the default route of their family leads over', {
  skip,
}, async () => {
  const groups = { here: { local: firstPools }, there: { local: secondPools } };
  await using world = await AgentWorld.open({ plan: planTwoCards(), groups });
  await world.members(1);
  await world.service('here', { ips: Object.values(first), group: 'here' });
  await world.service('there', { ips: Object.values(second), group: 'there' });
  const host = world.lab.node(1);
  const on = (isFirst: readonly [boolean, boolean], isSecond: readonly [boolean, boolean]) =>
    areAt(world, {
      [first.ipv4]: isFirst[0] ? ['node1 eth0/24'] : [],
      [first.ipv6]: isFirst[1] ? ['node1 eth0/64'] : [],
      [second.ipv4]: isSecond[0] ? ['node1 eth1/24'] : [],
      [second.ipv6]: isSecond[1] ? ['node1 eth1/64'] : [],
    });
  const [all, none] = [[true, true] as const, [false, false] as const];
  // The default route alone; with another card by name; the other card alone, by a pattern.
  await on(all, none);
  await configure(world, { interfaces: ['eth1'] });
  await on(all, all);
  await configure(world, { localInterface: '^eth1$', interfaces: [] });
  await on(none, all);
  await configure(world, { localInterface: 'default' });
  await on(all, none);
  // The default route of one family moves, then the other's.
  await ipBatch(host, 'route del default', 'route add default via 198.51.100.1');
  await on([false, true], [true, false]);
  await ipBatch(host, 'route del default via 2001:db8:1::1', 'route add default via 2001:db8:2::1');
  await on(none, all);
  // A second one that is worse changes nothing; a better one does, and what was passed over is told.
  await ipBatch(
    host,
    'route add default via 192.0.2.1 metric 300',
    'route add default via 2001:db8:1::1 metric 3000',
  );
  await eventually(
    async () => {
      const told = (await world.eventsOf('there')).filter((text) => text.startsWith('Default'));
      assert.deepEqual(told, [
        'DefaultRouteChosen: Node node1 has several default routes for IPv4: interface eth1 is used, having the lowest metric, and eth0 is not',
        'DefaultRouteChosen: Node node1 has several default routes for IPv6: interface eth1 is used, having the lowest metric, and eth0 is not',
      ]);
    },
    { withinMs: 10_000 },
  );
  await on(none, all);
  await ipBatch(host, 'route add default via 2001:db8:1::1 metric 10');
  await on([false, true], [true, false]);
  await ipBatch(host, 'route del default via 198.51.100.1');
  await on(all, none);
  // One that spreads over both cards leads over both.
  const spread = (one: string, two: string) =>
    `route replace default metric 5 nexthop via ${one} dev eth0 nexthop via ${two} dev eth1`;
  await ipBatch(
    host,
    spread('192.0.2.1', '198.51.100.1'),
    spread('2001:db8:1::1', '2001:db8:2::1'),
  );
  await on(all, all);
});

test('a host that has single addresses learns its subnets from routes on the link', {
  skip,
}, async () => {
  const groups = { here: { local: firstPools } };
  await using world = await AgentWorld.open({ nodes: 1, groups, agents: [] });
  const host = world.lab.node(1);
  await ipBatch(
    host,
    'address del 192.0.2.11/24 dev eth0',
    'address add 192.0.2.11/32 dev eth0',
    'route add 192.0.2.0/24 dev eth0 scope link',
    'route add default via 192.0.2.1',
    'address del 2001:db8:1::11/64 dev eth0',
    'address add 2001:db8:1::11/128 dev eth0 nodad',
    'route replace 2001:db8:1::/64 dev eth0 proto ra',
    'route replace default via 2001:db8:1::1',
  );
  await world.startAgent(1);
  await world.service('here', { ips: Object.values(first), group: 'here' });
  await areAt(world, { [first.ipv4]: ['node1 eth0/32'], [first.ipv6]: ['node1 eth0/64'] });
  for (const family of families) {
    assert.notEqual(await ping(world.client, ipOf(first[family])), undefined);
    assert.notEqual(await ping(world.client, host.address(family)), undefined);
    assert.notEqual(await ping(host, world.client.address(family)), undefined);
  }
  // Its own traffic leaves with its own address.
  for (const { ipv4 } of [world.client, world.lab.host('client2'), world.lab.router]) {
    const { stdout } = await host.run(['ip', 'route', 'get', ipv4]);
    assert.match(stdout, / src 192\.0\.2\.11 /);
  }
  // A router that stops advertising the prefix takes the subnet away.
  await ipBatch(host, 'route del 2001:db8:1::/64 dev eth0');
  await areAt(world, { [first.ipv4]: ['node1 eth0/32'], [first.ipv6]: [] });
  await ipBatch(host, 'route add 2001:db8:1::/64 dev eth0 proto ra expires 600');
  await areAt(world, { [first.ipv4]: ['node1 eth0/32'], [first.ipv6]: ['node1 eth0/64'] });
});
