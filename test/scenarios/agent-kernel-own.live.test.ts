import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { startResponder } from '../../lab/traffic/responder.ts';
import { startUdpClient } from '../../lab/traffic/udp-client.ts';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import { AgentWorld } from './agent-world.ts';
import { addressesOn, arpSettings, ipBatch, primariesOn } from './host-kernel.ts';

const skip = missing('ip', 'ping', 'setpriv');
const vips = ['192.0.2.100', '2001:db8:1::100'];
const allVips = [...vips, '192.0.2.101', '2001:db8:1::101'];

/** A node with an agent, Services and something that answers. */
async function serve(world: AgentWorld, promote: number): Promise<Host> {
  const host = world.lab.node(1);
  await host.sysctl('net/ipv4/conf/all/promote_secondaries', promote);
  await startResponder(host);
  await world.startAgent(1);
  await world.members(1);
  await world.service('web', { ips: vips });
  await world.service('mail', { ips: allVips.slice(2) });
  for (const ip of allVips) await world.onePlace(ip);
  return host;
}

/** The node's own addresses and ours are there, its own one is primary, and everyone reaches everyone. */
async function isRight(world: AgentWorld, own: readonly [string, string]): Promise<void> {
  const host = world.lab.node(1);
  const lengths = own.map((address) => address.split('/')[1]);
  const ours = allVips.map((ip) => `${ip}/${lengths[ip.includes(':') ? 1 : 0]}`);
  await eventually(
    async () => {
      const found = await addressesOn(host);
      const texts = found.map(({ local, prefixlen }) => `${local}/${prefixlen}`);
      assert.deepEqual(texts.sort(), [...own, ...ours].sort());
      assert.deepEqual(await primariesOn(host), own.slice(0, 1));
    },
    { withinMs: 10_000 },
  );
  for (const address of [...own, ...vips]) {
    const ip = ipOf(address.split('/')[0] ?? '');
    await eventually(async () => assert.notEqual(await ping(world.client, ip), undefined), {
      withinMs: 5000,
    });
  }
  for (const client of world.lab.clients) {
    assert.equal(await sourceTowards(host, client.ipv4), own[0].split('/')[0]);
    for (const family of ['ipv4', 'ipv6'] as const) {
      assert.notEqual(await ping(host, client.address(family)), undefined);
    }
  }
}

async function sourceTowards(host: Host, to: Ip): Promise<string | undefined> {
  const { stdout } = await host.run(['ip', 'route', 'get', to]);
  return / src (\S+)/.exec(stdout)?.[1];
}

/** As a DHCP client does once it has an address; it is tried again where the network is not there yet. */
async function setDefaultRoutes(host: Host): Promise<void> {
  await eventually(
    () =>
      ipBatch(
        host,
        'route replace default via 192.0.2.1',
        'route replace default via 2001:db8:1::1',
      ),
    { withinMs: 5000 },
  );
}

for (const promote of [0, 1]) {
  test(`whatever a DHCP client does, the node's own address is primary and ours are served, with promote_secondaries=${promote}`, {
    skip,
  }, async () => {
    await using world = await AgentWorld.open({ nodes: 1, agents: [] });
    const host = await serve(world, promote);
    const settings = await arpSettings(host);
    const clients = [];
    for (const ip of vips) {
      clients.push(await startUdpClient(world.client, { to: ipOf(ip), perSecond: 200 }));
    }
    for (const pauseMs of [0, 30, 300]) {
      await ipBatch(
        host,
        'address del 192.0.2.11/24 dev eth0',
        'address del 2001:db8:1::11/64 dev eth0',
      );
      await sleep(pauseMs);
      await ipBatch(
        host,
        'address add 192.0.2.11/24 dev eth0',
        'address add 2001:db8:1::11/64 dev eth0 nodad',
      );
      await setDefaultRoutes(host);
      await isRight(world, ['192.0.2.11/24', '2001:db8:1::11/64']);
    }
    for (const client of clients) {
      const { longestOutageMs } = await client.stop();
      // Some 450 ms of which 300 are the node's own.
      assert.ok(longestOutageMs < 3000, `${longestOutageMs} ms without an answer`);
    }
    assert.equal(await arpSettings(host), settings);
  });

  test(`addresses follow when the node's own becomes another or its prefix does, with promote_secondaries=${promote}`, {
    skip,
  }, async () => {
    await using world = await AgentWorld.open({ nodes: 1, agents: [] });
    const host = await serve(world, promote);
    const addition = [
      'address add 192.0.2.21/24 dev eth0',
      'address add 2001:db8:1::21/64 dev eth0 nodad',
    ];
    const removal = [
      'address del 192.0.2.11/24 dev eth0',
      'address del 2001:db8:1::11/64 dev eth0',
    ];
    // Without promotion the kernel takes the new one along with the old one.
    await ipBatch(host, ...(promote === 1 ? [...addition, ...removal] : [...removal, ...addition]));
    await setDefaultRoutes(host);
    await isRight(world, ['192.0.2.21/24', '2001:db8:1::21/64']);
    await ipBatch(
      host,
      'address add 192.0.2.21/25 dev eth0',
      'address del 192.0.2.21/24 dev eth0',
      'address del 2001:db8:1::21/64 dev eth0',
      'address add 2001:db8:1::21/60 dev eth0 nodad',
    );
    await setDefaultRoutes(host);
    await isRight(world, ['192.0.2.21/25', '2001:db8:1::21/60']);
    const [lease] = await world.members(1);
    assert.equal(
      lease?.metadata.annotations?.['purelb.io/subnets'],
      '192.0.2.0/25,2001:db8:1::/60',
    );
  });
}
