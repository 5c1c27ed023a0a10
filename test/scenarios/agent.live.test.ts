import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { ipOf } from '../../src/model/ip.ts';
import { AgentWorld } from './agent-world.ts';

const skip = missing('ip', 'ping', 'setpriv');

const localVips = { ipv4: '192.0.2.100', ipv6: '2001:db8:1::100' };
const localVipList = Object.values(localVips);

test('a local address is on exactly one node, with the prefix of its subnet, and answers', {
  skip,
}, async () => {
  await using world = await AgentWorld.open();
  await world.members(3);
  await world.service('web', { ips: localVipList });
  for (const ip of localVipList) {
    const place = await world.onePlace(ip);
    assert.match(place, ip.includes(':') ? /^node\d eth0\/64$/ : /^node\d eth0\/24$/);
    assert.notEqual(await ping(world.client, ipOf(ip)), undefined);
  }
  await eventually(
    async () => {
      const notes = await world.annotations('web');
      const [v4 = '', v6 = ''] = await Promise.all(localVipList.map((ip) => world.onePlace(ip)));
      assert.equal(
        notes['purelb.io/announcing-IPv4'],
        `${v4.split(' ')[0]},eth0,${localVips.ipv4}`,
      );
      assert.equal(
        notes['purelb.io/announcing-IPv6'],
        `${v6.split(' ')[0]},eth0,${localVips.ipv6}`,
      );
    },
    { withinMs: 3000 },
  );
});
