import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { capture } from '../../lab/capture/capture.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { monotonicMs } from '../../lab/monotonic.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { ipOf } from '../../src/model/ip.ts';
import { AgentWorld } from './agent-world.ts';

const skip = missing('ip', 'ping', 'setpriv', 'tcpdump');

const localVips = { ipv4: '192.0.2.100', ipv6: '2001:db8:1::100' };
const localVipList = Object.values(localVips);
const remoteVips = ['203.0.113.200', '2001:db8:aa::200'];

const lengthOf = (ip: string, v4: number, v6: number) => (ip.includes(':') ? v6 : v4);
const nodeIn = (place: string) => Number(/^node(\d+)/.exec(place)?.[1]);

/** The same place for longer than any agent takes to think again. */
async function stays(world: AgentWorld, ip: string, place: string, ms: number): Promise<void> {
  const until = monotonicMs() + ms;
  while (monotonicMs() < until) {
    assert.deepEqual(await world.places(ip), [place]);
    await sleep(100);
  }
}

test('a local address is on exactly one node, with the prefix of its subnet, and answers', {
  skip,
}, async () => {
  await using world = await AgentWorld.open();
  await world.members(3);
  await world.service('web', { ips: localVipList });
  for (const ip of localVipList) {
    const place = await world.onePlace(ip);
    assert.match(place, new RegExp(`^node\\d eth0/${lengthOf(ip, 24, 64)}$`));
    assert.notEqual(await ping(world.client, ipOf(ip)), undefined);
    await stays(world, ip, place, 1000);
  }
  const [v4 = '', v6 = ''] = await Promise.all(localVipList.map((ip) => world.onePlace(ip)));
  await eventually(
    async () => {
      const notes = await world.annotations('web');
      assert.equal(notes['purelb.io/announcing-IPv4'], `node${nodeIn(v4)},eth0,${localVips.ipv4}`);
      assert.equal(notes['purelb.io/announcing-IPv6'], `node${nodeIn(v6)},eth0,${localVips.ipv6}`);
      assert.deepEqual(await world.eventsOf('web'), [
        `AnnouncingLocal: Node node${nodeIn(v4)} announcing ${localVips.ipv4} on interface eth0`,
        `AnnouncingLocal: Node node${nodeIn(v6)} announcing ${localVips.ipv6} on interface eth0`,
      ]);
    },
    { withinMs: 3000 },
  );
});

test('a remote address is on kube-lb0 of every node, and on no other link', { skip }, async () => {
  await using world = await AgentWorld.open();
  await world.service('far', { ips: remoteVips, group: 'public', type: 'remote' });
  for (const ip of remoteVips) {
    const expected = [1, 2, 3].map((number) => `node${number} kube-lb0/${lengthOf(ip, 32, 128)}`);
    await eventually(async () => assert.deepEqual(await world.places(ip), expected), {
      withinMs: 5000,
    });
  }
  await world.remove('far');
  for (const ip of remoteVips) {
    await eventually(async () => assert.deepEqual(await world.places(ip), []), { withinMs: 2000 });
  }
});

test('whoever takes an address tells its neighbours, and once it is withdrawn nobody answers', {
  skip,
}, async () => {
  await using world = await AgentWorld.open();
  await world.members(3);
  await using seen = await capture(world.lab.segment('lan1'), { filter: 'arp or icmp6' });
  await world.service('web', { ips: localVipList });
  const [v4 = '', v6 = ''] = await Promise.all(localVipList.map((ip) => world.onePlace(ip)));
  const mac = (place: string) => `02:00:00:01:00:1${nodeIn(place)}`;
  await eventually(
    async () => {
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
    },
    { withinMs: 4000 },
  );
  for (const ip of localVipList) assert.notEqual(await ping(world.client, ipOf(ip)), undefined);
  await world.remove('web');
  for (const ip of localVipList) {
    await eventually(async () => assert.deepEqual(await world.places(ip), []), { withinMs: 2000 });
    await world.client.run(['ip', 'neighbour', 'flush', 'all']);
    await using silence = await capture(world.lab.segment('lan1'), { filter: 'arp or icmp6' });
    assert.equal(await ping(world.client, ipOf(ip)), undefined);
    const answers = (await silence.text()).filter((line) =>
      new RegExp(`Reply ${ip} is-at|advertisement, tgt is ${ip}`).test(line),
    );
    assert.deepEqual(answers, []);
  }
});

test('an address that someone deletes is back within a second', { skip }, async () => {
  await using world = await AgentWorld.open();
  await world.members(3);
  await world.service('web', { ips: localVipList });
  await world.service('far', { ips: remoteVips, group: 'public', type: 'remote' });
  for (const ip of localVipList) await world.onePlace(ip);
  // The last announcements are over: nothing but the deletion itself makes an agent look.
  await sleep(4000);
  for (const ip of [...localVipList, ...remoteVips]) {
    const place = await eventually(
      async () => {
        const [first] = await world.places(ip);
        assert.ok(first !== undefined);
        return first;
      },
      { withinMs: 5000 },
    );
    const [, node = '', link = '', length = ''] = /^(\S+) (\S+)\/(\d+)$/.exec(place) ?? [];
    const deletion = ['ip', 'address', 'delete', `${ip}/${length}`, 'dev', link];
    await world.lab.host(node).run(deletion);
    await eventually(async () => assert.ok((await world.places(ip)).includes(place)), {
      withinMs: 1000,
    });
  }
});

test('addresses that are not ours stay as they are, whatever happens to ours', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ agents: [] });
  const foreign = ['192.0.2.150/24', '192.0.2.151/32', '2001:db8:1::150/64', '203.0.113.250/32'];
  const host = world.lab.node(1);
  for (const address of foreign) await host.run(['ip', 'address', 'add', address, 'dev', 'eth0']);
  const before = await host.links();
  await world.startAgent(1);
  await world.members(1);
  await world.service('web', { ips: localVipList });
  for (const ip of localVipList) await world.onePlace(ip);
  await world.remove('web');
  for (const ip of localVipList) {
    await eventually(async () => assert.deepEqual(await world.places(ip), []), { withinMs: 2000 });
  }
  const after = (await host.links()).filter(({ name }) => name !== 'kube-lb0');
  assert.deepEqual(after, before);
});

test('what nobody wants any more when an agent starts goes away, once it knows', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 2 });
  await world.members(2);
  await world.service('web', { ips: localVipList });
  await world.service('far', { ips: remoteVips, group: 'public', type: 'remote' });
  await world.service('other', { ips: ['192.0.2.101', '2001:db8:1::101'] });
  const all = [...localVipList, ...remoteVips, '192.0.2.101', '2001:db8:1::101'];
  for (const ip of all) {
    await eventually(async () => assert.ok((await world.places(ip)).length > 0), {
      withinMs: 5000,
    });
  }
  await eventually(async () => assert.equal((await world.places(remoteVips[0] ?? '')).length, 2), {
    withinMs: 5000,
  });
  await Promise.all([1, 2].map((number) => world.agent(number).kill()));
  const kept = await world.onePlace('192.0.2.101');
  await world.remove('web');
  await world.remove('far');
  await Promise.all([1, 2].map((number) => world.startAgent(number)));
  for (const ip of [...localVipList, ...remoteVips]) {
    await eventually(async () => assert.deepEqual(await world.places(ip), []), { withinMs: 5000 });
  }
  assert.equal(await world.onePlace('192.0.2.101'), kept);
});
