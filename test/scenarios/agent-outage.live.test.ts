import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { AgentWorld } from './agent-world.ts';
import { ipBatch } from './host-kernel.ts';

const skip = missing('ip', 'setpriv');
const vips = ['192.0.2.100', '2001:db8:1::100'];

/** Seconds that an address has left in a host's kernel. */
async function lifeOf(host: Host, ip: string): Promise<number> {
  const { stdout } = await host.run(['ip', '-json', 'address', 'show', 'dev', 'eth0']);
  const [link] = JSON.parse(stdout) as {
    readonly addr_info: readonly { readonly local: string; readonly valid_life_time: number }[];
  }[];
  const found = link?.addr_info.find(({ local }) => local === ip);
  if (found === undefined) throw new Error(`${ip} is not on ${host.name}`);
  return found.valid_life_time;
}

test('without the API server agents keep and mend what they hold, and go on when it is back', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ agents: [] });
  const short = ['--lease-duration', '2s'];
  await Promise.all([1, 2, 3].map((number) => world.startAgent(number, short)));
  await world.members(3);
  await world.service('web', { ips: vips });
  const places: string[] = [];
  for (const ip of vips) places.push(await world.onePlace(ip));
  world.cutApi(true);
  await world.service('late', { ips: ['192.0.2.102', '2001:db8:1::102'] });
  await sleep(5000);
  for (const [index, ip] of vips.entries()) {
    const place: string = places[index] ?? '';
    assert.deepEqual(await world.places(ip), [place]);
    const host = world.lab.host(place.split(' ')[0] ?? '');
    const length = place.split('/')[1];
    await host.run(['ip', 'address', 'delete', `${ip}/${length}`, 'dev', 'eth0']);
    await eventually(async () => assert.deepEqual(await world.places(ip), [place]), {
      withinMs: 1000,
    });
  }
  world.cutApi(false);
  await world.onePlace('192.0.2.102', 20_000);
  for (const [index, ip] of vips.entries()) {
    assert.deepEqual(await world.places(ip), [places[index]]);
  }
});

test('a starting agent extends a short lifetime by 30 s before it reaches the API server', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1 });
  await world.members(1);
  await world.service('web', { ips: vips });
  for (const ip of vips) await world.onePlace(ip);
  const host = world.lab.node(1);
  for (const ip of vips) assert.ok((await lifeOf(host, ip)) > 290);
  await world.agent(1).stop();
  await sleep(3100);
  for (const ip of vips) {
    const left = await lifeOf(host, ip);
    assert.ok(left <= 118 && left > 100, `${left} s`);
  }
  // Little is left. The second mark is the one that `ip` can set.
  const short = 'metric 7472 valid_lft 20 preferred_lft 20';
  await ipBatch(
    host,
    `address change 192.0.2.100/24 dev eth0 ${short}`,
    `address change 2001:db8:1::100/64 dev eth0 ${short}`,
  );
  world.cutApi(true);
  await world.startAgent(1);
  for (const ip of vips) {
    const left = await lifeOf(host, ip);
    assert.ok(left >= 27 && left <= 30, `${left} s`);
  }
  world.cutApi(false);
  await eventually(
    async () => {
      for (const ip of vips) assert.ok((await lifeOf(host, ip)) > 290);
    },
    { withinMs: 20_000 },
  );
});
