/** What everyone sees of the agents: the same on every API server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { capture } from '../../lab/capture/capture.ts';
import { eventually } from '../../lab/eventually.ts';
import { monotonicMs } from '../../lab/monotonic.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { ipOf } from '../../src/model/ip.ts';
import type { AgentWorld } from './agent-world.ts';

/** A world of three nodes on one LAN, with an agent on each; disposing of it leaves nothing for the next test. */
export interface OpenedWorld extends AsyncDisposable {
  readonly world: AgentWorld;
}

const localVips = { ipv4: '192.0.2.100', ipv6: '2001:db8:1::100' };
const localVipList = Object.values(localVips);
const remoteVips = ['203.0.113.200', '2001:db8:aa::200'];

const soon = { withinMs: 15_000 } as const;
const lengthOf = (ip: string, v4: number, v6: number) => (ip.includes(':') ? v6 : v4);
const nodeIn = (place: string) => Number(/^node(\d+)/.exec(place)?.[1]);

const isNotVirtual = ({ name }: { readonly name: string }) => name !== 'kube-lb0';

async function isNowhere(world: AgentWorld, ip: string): Promise<void> {
  await eventually(async () => assert.deepEqual(await world.places(ip), []), soon);
}

/** The same place for longer than any agent takes to think again. */
async function stays(world: AgentWorld, ip: string, place: string, ms: number): Promise<void> {
  const until = monotonicMs() + ms;
  while (monotonicMs() < until) {
    assert.deepEqual(await world.places(ip), [place]);
    await sleep(100);
  }
}

export function agentContract(open: () => Promise<OpenedWorld>): void {
  test('a local address is on exactly one node, with the prefix of its subnet, and answers', async () => {
    await using opened = await open();
    const { world } = opened;
    await world.members(3);
    await world.service('web', { ips: localVipList });
    for (const ip of localVipList) {
      const place = await world.onePlace(ip, soon.withinMs);
      assert.match(place, new RegExp(`^node\\d eth0/${lengthOf(ip, 24, 64)}$`));
      assert.notEqual(await ping(world.client, ipOf(ip)), undefined);
      await stays(world, ip, place, 1000);
    }
    const [v4 = '', v6 = ''] = await Promise.all(
      localVipList.map((ip) => world.onePlace(ip, soon.withinMs)),
    );
    await eventually(async () => {
      const notes = await world.annotations('web');
      assert.equal(notes['purelb.io/announcing-IPv4'], `node${nodeIn(v4)},eth0,${localVips.ipv4}`);
      assert.equal(notes['purelb.io/announcing-IPv6'], `node${nodeIn(v6)},eth0,${localVips.ipv6}`);
      const told = (await world.eventsOf('web')).filter((text) => text.startsWith('Announcing'));
      assert.deepEqual(told, [
        `AnnouncingLocal: Node node${nodeIn(v4)} announcing ${localVips.ipv4} on interface eth0`,
        `AnnouncingLocal: Node node${nodeIn(v6)} announcing ${localVips.ipv6} on interface eth0`,
      ]);
    }, soon);
  });

  test('a remote address is on kube-lb0 of every node, and on no other link', async () => {
    await using opened = await open();
    const { world } = opened;
    await world.service('far', { ips: remoteVips, group: 'public', type: 'remote' });
    for (const ip of remoteVips) {
      const length = lengthOf(ip, 32, 128);
      const expected = world.lab.nodes.map(({ name }) => `${name} kube-lb0/${length}`);
      await eventually(async () => assert.deepEqual(await world.places(ip), expected), soon);
    }
    await world.remove('far');
    for (const ip of remoteVips) {
      await isNowhere(world, ip);
    }
  });

  test('whoever takes an address tells its neighbours, and once it is withdrawn nobody answers', async () => {
    await using opened = await open();
    const { world } = opened;
    await world.members(3);
    await using seen = await capture(world.lab.segment('lan1'), { filter: 'arp or icmp6' });
    await world.service('web', { ips: localVipList });
    const [v4 = '', v6 = ''] = await Promise.all(
      localVipList.map((ip) => world.onePlace(ip, soon.withinMs)),
    );
    const mac = (place: string) => `02:00:00:01:00:1${nodeIn(place)}`;
    await eventually(async () => {
      const lines = await seen.text();
      const garp = (kind: RegExp) =>
        lines.filter((line) => line.startsWith(mac(v4), 18) && kind.test(line));
      assert.ok(garp(/Request who-has 192\.0\.2\.100 .*tell 192\.0\.2\.100/).length >= 2);
      assert.ok(garp(/Reply 192\.0\.2\.100 is-at/).length >= 2);
      const advertised = lines.filter(
        (line) =>
          line.includes(mac(v6)) && /neighbor advertisement, tgt is 2001:db8:1::100/.test(line),
      );
      assert.ok(advertised.length >= 2);
    }, soon);
    for (const ip of localVipList) assert.notEqual(await ping(world.client, ipOf(ip)), undefined);
    await world.remove('web');
    for (const ip of localVipList) {
      await isNowhere(world, ip);
      await world.client.run(['ip', 'neighbour', 'flush', 'all']);
      await using silence = await capture(world.lab.segment('lan1'), { filter: 'arp or icmp6' });
      assert.equal(await ping(world.client, ipOf(ip)), undefined);
      const answers = (await silence.text()).filter((line) =>
        new RegExp(`Reply ${ip} is-at|advertisement, tgt is ${ip}`).test(line),
      );
      assert.deepEqual(answers, []);
    }
  });

  test('an address that someone deletes is back at once', async () => {
    await using opened = await open();
    const { world } = opened;
    await world.members(3);
    await world.service('web', { ips: localVipList });
    await world.service('far', { ips: remoteVips, group: 'public', type: 'remote' });
    for (const ip of localVipList) await world.onePlace(ip, soon.withinMs);
    // The last announcements are over: nothing but the deletion itself makes an agent look.
    await sleep(4000);
    for (const ip of [...localVipList, ...remoteVips]) {
      const place = await eventually(async () => {
        const [first] = await world.places(ip);
        assert.ok(first !== undefined);
        return first;
      }, soon);
      const [, node = '', link = '', length = ''] = /^(\S+) (\S+)\/(\d+)$/.exec(place) ?? [];
      const deletion = ['ip', 'address', 'delete', `${ip}/${length}`, 'dev', link];
      await world.lab.host(node).run(deletion);
      await eventually(async () => assert.ok((await world.places(ip)).includes(place)), {
        withinMs: 5000,
      });
    }
  });

  test('addresses that are not ours stay as they are, whatever happens to ours', async () => {
    await using opened = await open();
    const { world } = opened;
    const foreign = ['192.0.2.150/24', '192.0.2.151/32', '2001:db8:1::150/64', '203.0.113.250/32'];
    const host = world.lab.node(1);
    for (const address of foreign) await host.run(['ip', 'address', 'add', address, 'dev', 'eth0']);
    try {
      const before = (await host.links()).filter(isNotVirtual);
      await world.agent(1).kill();
      await world.startAgent(1);
      await world.service('web', { ips: localVipList });
      for (const ip of localVipList) await world.onePlace(ip, soon.withinMs);
      await world.remove('web');
      for (const ip of localVipList) await isNowhere(world, ip);
      assert.deepEqual((await host.links()).filter(isNotVirtual), before);
    } finally {
      for (const address of foreign) {
        await host.attempt(['ip', 'address', 'delete', address, 'dev', 'eth0']);
      }
    }
  });

  test('what nobody wants any more when an agent starts goes away, once it knows', async () => {
    await using opened = await open();
    const { world } = opened;
    const numbers = world.lab.nodes.map((_, index) => index + 1);
    await world.members(numbers.length);
    await world.service('web', { ips: localVipList });
    await world.service('far', { ips: remoteVips, group: 'public', type: 'remote' });
    await world.service('other', { ips: ['192.0.2.101', '2001:db8:1::101'] });
    for (const ip of localVipList) await world.onePlace(ip, soon.withinMs);
    for (const ip of remoteVips) {
      await eventually(
        async () => assert.equal((await world.places(ip)).length, numbers.length),
        soon,
      );
    }
    const kept = await world.onePlace('192.0.2.101', soon.withinMs);
    await Promise.all(numbers.map((number) => world.agent(number).kill()));
    await world.remove('web');
    await world.remove('far');
    await Promise.all(numbers.map((number) => world.startAgent(number)));
    for (const ip of [...localVipList, ...remoteVips]) await isNowhere(world, ip);
    assert.equal(await world.onePlace('192.0.2.101'), kept);
  });
}
