import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { lbNodeAgents } from '../../src/kube/resources.ts';
import { AgentWorld, installNamespace, usualGroups } from './agent-world.ts';

const skip = missing('ip', 'setpriv');
const vips = ['192.0.2.100', '2001:db8:1::100'];

async function isNowhere(world: AgentWorld, ip: string): Promise<void> {
  await eventually(async () => assert.deepEqual(await world.places(ip), []), { withinMs: 2000 });
}

test('a shared address stays until the last of its Services is gone', { skip }, async () => {
  await using world = await AgentWorld.open({ nodes: 2 });
  await world.members(2);
  const annotations = { 'purelb.io/allow-shared-ip': 'front' };
  await world.service('web', { ips: vips, annotations });
  await world.service('mail', { ips: vips, annotations, spec: { ports: [{ port: 25 }] } });
  const places: string[] = [];
  for (const ip of vips) places.push(await world.onePlace(ip));
  await world.remove('web');
  await sleep(1000);
  for (const [index, ip] of vips.entries()) {
    assert.deepEqual(await world.places(ip), [places[index]]);
  }
  await world.remove('mail');
  for (const ip of vips) await isNowhere(world, ip);
});

for (const promote of [0, 1]) {
  test(`removing one address of an aggregate leaves the others, with promote_secondaries=${promote}`, {
    skip,
  }, async () => {
    const { v4pools, v6pools } = usualGroups.public.remote;
    const wide = <T extends object>(pools: readonly T[], aggregation: string) =>
      pools.map((pool) => ({ ...pool, aggregation }));
    const groups = {
      public: { remote: { v4pools: wide(v4pools, '/25'), v6pools: wide(v6pools, '/64') } },
    };
    await using world = await AgentWorld.open({ nodes: 1, groups, agents: [] });
    await world.lab.node(1).sysctl('net/ipv4/conf/all/promote_secondaries', promote);
    await world.startAgent(1);
    const numbers = [200, 201, 202, 203];
    for (const number of numbers) {
      const ips = [`203.0.113.${number}`, `2001:db8:aa::${number}`];
      await world.service(`s${number}`, { ips, group: 'public', type: 'remote' });
    }
    const isThere = async (number: number) => {
      await eventually(
        async () => {
          assert.deepEqual(await world.places(`203.0.113.${number}`), ['node1 kube-lb0/25']);
          assert.deepEqual(await world.places(`2001:db8:aa::${number}`), ['node1 kube-lb0/64']);
        },
        { withinMs: 3000 },
      );
    };
    for (const number of numbers) await isThere(number);
    for (const [removed, ...left] of [
      [200, 201, 202, 203],
      [202, 201, 203],
      [201, 203],
    ]) {
      await world.remove(`s${removed}`);
      await isNowhere(world, `203.0.113.${removed}`);
      await isNowhere(world, `2001:db8:aa::${removed}`);
      for (const number of left) await isThere(number);
    }
  });
}

/** IPv4 addresses of eth0 that are primary. */
async function primaries(host: Host): Promise<readonly string[]> {
  const { stdout } = await host.run([
    'ip',
    '-4',
    '-o',
    'address',
    'show',
    'dev',
    'eth0',
    'primary',
  ]);
  return [...stdout.matchAll(/inet ([\d./]+)/g)].map(([, address = '']) => address);
}

for (const promote of [0, 1]) {
  test(`a node's own address that goes and comes back is primary again, with promote_secondaries=${promote}`, {
    skip,
  }, async () => {
    await using world = await AgentWorld.open({ nodes: 1, agents: [] });
    const host = world.lab.node(1);
    await host.sysctl('net/ipv4/conf/all/promote_secondaries', promote);
    await world.startAgent(1);
    await world.members(1);
    await world.service('web', { ips: ['192.0.2.100'] });
    await world.service('mail', { ips: ['192.0.2.101'] });
    for (const ip of ['192.0.2.100', '192.0.2.101']) await world.onePlace(ip);
    await host.run(['ip', 'address', 'delete', '192.0.2.11/24', 'dev', 'eth0']);
    await sleep(500);
    await host.run(['ip', 'address', 'add', '192.0.2.11/24', 'dev', 'eth0']);
    await host.run(['ip', 'route', 'replace', 'default', 'via', '192.0.2.1']);
    await eventually(
      async () => {
        assert.deepEqual(await primaries(host), ['192.0.2.11/24']);
        for (const ip of ['192.0.2.100', '192.0.2.101']) {
          assert.deepEqual(await world.places(ip), ['node1 eth0/24']);
        }
      },
      { withinMs: 5000 },
    );
  });
}

test('remote addresses move to the link that is configured anew, and the former one goes', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1 });
  const ips = ['203.0.113.200', '2001:db8:aa::200'];
  await world.service('far', { ips, group: 'public', type: 'remote' });
  for (const ip of ips) await world.onePlace(ip);
  const patch = mergePatch({ spec: { local: { dummyInterface: 'lb1' } } });
  await world.cluster.patch(lbNodeAgents, { namespace: installNamespace, name: 'default' }, patch);
  await eventually(
    async () => {
      for (const ip of ips) assert.match((await world.places(ip)).join(), /^node1 lb1\/\d+$/);
      const names = (await world.lab.node(1).links()).map(({ name }) => name);
      assert.deepEqual(names.sort(), ['eth0', 'lb1']);
    },
    { withinMs: 3000 },
  );
});

for (const ignore of [0, 1]) {
  test(`addresses that IPVS keeps on kube-ipvs0 are no conflict, with arp_ignore=${ignore}`, {
    skip,
  }, async () => {
    await using world = await AgentWorld.open({ agents: [] });
    for (const host of world.lab.nodes) {
      await host.sysctl('net/ipv4/conf/all/arp_ignore', ignore);
      const made = await host.attempt(['ip', 'link', 'add', 'kube-ipvs0', 'type', 'dummy']);
      if (made.status !== 0) await host.run(['ip', 'link', 'add', 'kube-ipvs0', 'type', 'ifb']);
      for (const address of ['192.0.2.100/32', '2001:db8:1::100/128']) {
        await host.run(['ip', 'address', 'add', address, 'dev', 'kube-ipvs0']);
      }
    }
    await Promise.all([1, 2, 3].map((number) => world.startAgent(number)));
    await world.members(3);
    await world.service('web', { ips: vips });
    for (const ip of vips) {
      await eventually(
        async () => {
          const places = await world.places(ip);
          assert.equal(places.filter((place) => place.includes('eth0')).length, 1);
          assert.equal(places.filter((place) => place.includes('kube-ipvs0')).length, 3);
        },
        { withinMs: 5000 },
      );
    }
  });
}
