import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { AgentWorld, usualGroups } from './agent-world.ts';
import { addIdleLink, addressesOn, addressOn, ipBatch } from './host-kernel.ts';

const skip = missing('ip', 'setpriv');
const vips = ['192.0.2.100', '2001:db8:1::100'];
const withLength = (ip: string) => `${ip}/${ip.includes(':') ? 64 : 24}`;

/** Ours are for five minutes, what people add is for ever. */
async function isOurs(host: Host, ip: string): Promise<void> {
  await eventually(
    async () => {
      const prefixlen = ip.includes(':') ? 64 : 24;
      const found = (await addressesOn(host)).find(
        (each) => each.local === ip && each.prefixlen === prefixlen,
      );
      assert.ok(found !== undefined && found.valid_life_time <= 300, JSON.stringify(found));
      assert.ok(found.valid_life_time > 280, JSON.stringify(found));
      assert.equal(found.noprefixroute, true);
    },
    { withinMs: 10_000 },
  );
}

async function additions(world: AgentWorld): Promise<string | undefined> {
  const text = await world.read(1, '/metrics');
  return /^purelb_lbnodeagent_address_additions_total .*$/m.exec(text)?.[0];
}

test('an address that someone took over is not touched, and is ours again when they give it up', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1 });
  const host = world.lab.node(1);
  await world.members(1);
  await world.service('web', { ips: vips });
  for (const ip of vips) await isOurs(host, ip);
  // It is quicker than they are, unless it stands still.
  world.agent(1).freeze();
  for (const ip of vips) {
    const address = `${withLength(ip)} dev eth0`;
    await ipBatch(host, `address del ${address}`, `address add ${address}`);
  }
  world.agent(1).thaw();
  await eventually(
    async () => {
      const told = (await world.eventsOf('web')).join('\n');
      for (const ip of vips) {
        const words = `Node node1 has ${ip} on interface eth0, where PureLB did not put it: this node announces it.`;
        assert.ok(told.includes(words), told);
      }
    },
    { withinMs: 10_000 },
  );
  const before = await addressesOn(host);
  await sleep(1500);
  assert.deepEqual(await addressesOn(host), before);
  for (const ip of vips) {
    assert.equal((await addressOn(host, ip))?.valid_life_time, 4_294_967_295);
  }
  for (const ip of vips) await ipBatch(host, `address del ${withLength(ip)} dev eth0`);
  for (const ip of vips) await isOurs(host, ip);
});

test('what someone changes about our addresses is put right, and theirs beside it stay', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1 });
  const host = world.lab.node(1);
  await world.members(1);
  await world.service('web', { ips: vips });
  for (const ip of vips) await isOurs(host, ip);
  await addIdleLink(host, 'other0');
  for (const ip of vips) await ipBatch(host, `address add ${withLength(ip)} dev other0`);
  await ipBatch(host, 'address add 192.0.2.100/32 dev eth0');
  await sleep(4000);
  const count = await additions(world);
  // The mark that counts where a kernel knows no other, and the only one that `ip` can set.
  const mark = 'metric 7472';
  for (const ip of vips) {
    const address = `${withLength(ip)} dev eth0 ${mark}`;
    await ipBatch(host, `address replace ${address} valid_lft 40 preferred_lft 40 noprefixroute`);
    await isOurs(host, ip);
    await ipBatch(host, `address replace ${address} valid_lft 9000 preferred_lft 9000`);
    await isOurs(host, ip);
  }
  // Without a mark it is still ours for IPv6, where the kernel keeps marks that are not given.
  await ipBatch(host, 'address replace 2001:db8:1::100/64 dev eth0');
  await isOurs(host, vips[1] ?? '');
  assert.equal(await additions(world), count);
  for (const ip of vips) {
    assert.equal((await addressOn(host, ip, 'other0'))?.valid_life_time, 4_294_967_295);
  }
  const both = (await addressesOn(host)).filter(({ local }) => local === '192.0.2.100');
  assert.deepEqual(both.map(({ prefixlen }) => prefixlen).sort(), [24, 32]);
  await world.remove('web');
  await eventually(
    async () => {
      const left = await world.places(vips[0] ?? '');
      assert.deepEqual(left, ['node1 eth0/32', 'node1 other0/24']);
      assert.deepEqual(await world.places(vips[1] ?? ''), ['node1 other0/64']);
    },
    { withinMs: 10_000 },
  );
});

for (const validLifetime of [300, 0]) {
  const kind = validLifetime === 0 ? 'permanent' : 'mortal';
  test(`a ${kind} address that duplicate address detection refused is a conflict, and is not tried again`, {
    skip,
  }, async () => {
    const conflictCheck = { mode: 'Off', kernelDAD: true };
    const groups = { default: { ...usualGroups.default, conflictCheck } };
    const local = { addressConfig: { localInterface: { validLifetime } } };
    await using world = await AgentWorld.open({ nodes: 1, groups, local, agents: [] });
    const host = world.lab.node(1);
    const [, ip = ''] = vips;
    for (const link of ['all', 'eth0']) await host.sysctl(`net/ipv6/conf/${link}/accept_dad`, 1);
    await world.client.run(['ip', 'address', 'add', `${ip}/64`, 'dev', 'eth0', 'nodad']);
    await world.startAgent(1);
    await world.members(1);
    await world.service('web', { ips: [ip] });
    await eventually(
      async () => {
        const told = (await world.eventsOf('web')).join('\n');
        assert.match(
          told,
          /AddressConflict: Node node1 found 2001:db8:1::100 in use by another host/,
        );
        assert.deepEqual(await world.places(ip), []);
      },
      { withinMs: 10_000 },
    );
    const before = await additions(world);
    await sleep(3000);
    assert.deepEqual(await world.places(ip), []);
    assert.equal(await additions(world), before);
  });
}

test('addresses of Services that went while no agent ran go, and what others added meanwhile stays', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1 });
  const host = world.lab.node(1);
  const remote = ['203.0.113.200', '2001:db8:aa::200'];
  await world.members(1);
  await world.service('web', { ips: vips });
  await world.service('far', { ips: remote, group: 'public', type: 'remote' });
  for (const ip of [...vips, ...remote]) await world.onePlace(ip);
  await world.agent(1).kill();
  await world.remove('web');
  await world.remove('far');
  await ipBatch(
    host,
    'address add 192.0.2.101/24 dev eth0',
    'address add 2001:db8:1::101/64 dev eth0 nodad',
    'address add 203.0.113.201/32 dev kube-lb0',
    'address add 2001:db8:aa::201/128 dev kube-lb0',
  );
  await world.startAgent(1);
  await eventually(
    async () => {
      const found = (await host.links()).map(({ name, addresses }) => [
        name,
        ...addresses.toSorted(),
      ]);
      assert.deepEqual(found.sort(), [
        ['eth0', '192.0.2.101/24', '192.0.2.11/24', '2001:db8:1::101/64', '2001:db8:1::11/64'],
        ['kube-lb0', '2001:db8:aa::201/128', '203.0.113.201/32'],
      ]);
    },
    { withinMs: 10_000 },
  );
});
