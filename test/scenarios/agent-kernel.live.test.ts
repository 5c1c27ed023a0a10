import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { AgentWorld } from './agent-world.ts';

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
