import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { monotonicMs } from '../../lab/monotonic.ts';
import type { Host } from '../../lab/network/host.ts';
import { AgentWorld } from './agent-world.ts';
import { addIdleLink, cpuMs, ipBatch } from './host-kernel.ts';

const skip = missing('ip', 'setpriv');
const vips = ['192.0.2.100', '2001:db8:1::100'];
const remote = ['203.0.113.200', '2001:db8:aa::200'];
const all = [...vips, ...remote];

/** Addresses and routes of both families that come and go on another link: four changes for each of them. */
function stormLines(count: number): readonly string[] {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const make = (verb: string) =>
    numbers.flatMap((number) => [
      `address ${verb} 198.18.${number >> 8}.${number & 255}/32 dev storm0`,
      `address ${verb} 2001:db8:5::${number.toString(16)}/128 dev storm0`,
    ]);
  const routes = (verb: string) =>
    numbers.flatMap((number) => [
      `route ${verb} 198.19.${number >> 8}.${number & 255}/32 dev storm0`,
      `route ${verb} 2001:db8:6::${number.toString(16)}/128 dev storm0`,
    ]);
  return [...make('add'), ...routes('add'), ...routes('del'), ...make('del')];
}

/** For so long, about so many changes in each second; how many there were. */
async function storm(host: Host, { ms, perSecond }: { ms: number; perSecond: number }) {
  const lines = stormLines(Math.round(perSecond / 10 / 8));
  const startedAt = monotonicMs();
  let changes = 0;
  while (monotonicMs() - startedAt < ms) {
    await ipBatch(host, ...lines);
    changes += lines.length;
    const dueAt = startedAt + (changes / perSecond) * 1000;
    await sleep(Math.max(0, dueAt - monotonicMs()));
  }
  return { changes, ms: monotonicMs() - startedAt };
}

async function serve(world: AgentWorld): Promise<Host> {
  await world.members(1);
  await world.service('web', { ips: vips });
  await world.service('far', { ips: remote, group: 'public', type: 'remote' });
  for (const ip of all) await world.onePlace(ip);
  const host = world.lab.node(1);
  await addIdleLink(host, 'storm0');
  return host;
}

async function removeByHand(world: AgentWorld, ip: string): Promise<string> {
  const [place = ''] = await world.places(ip);
  const [, link = '', length = ''] = / (\S+)\/(\d+)$/.exec(place) ?? [];
  await ipBatch(world.lab.node(1), `address del ${ip}/${length} dev ${link}`);
  return place;
}

test('among a thousand foreign changes in a second addresses stay, and one that is lost is soon back', {
  skip,
}, async (t) => {
  await using world = await AgentWorld.open({ nodes: 1 });
  const host = await serve(world);
  const agent = world.agent(1);
  const cpuBefore = cpuMs(agent);
  const raging = storm(host, { ms: 5000, perSecond: 1000 });
  for (const ip of all) {
    await sleep(500);
    const place = await removeByHand(world, ip);
    await eventually(async () => assert.deepEqual(await world.places(ip), [place]), {
      withinMs: 3000,
    });
  }
  const { changes, ms } = await raging;
  const cpu = cpuMs(agent) - cpuBefore;
  t.diagnostic(`${changes} changes in ${Math.round(ms)} ms took the agent ${cpu} ms of CPU`);
  assert.ok(changes > 3000 && cpu < ms / 2, `${cpu} ms of CPU for ${changes} changes`);
  for (const ip of all) await world.onePlace(ip);
});

/** How many messages for listeners on a host the kernel had to throw away. */
async function droppedOn(host: Host): Promise<number> {
  const { stdout } = await host.run(['cat', '/proc/net/netlink']);
  const [heads = [], ...rows] = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  const column = heads.indexOf('Drops');
  return rows.reduce((sum, row) => sum + Number(row[column] ?? 0), 0);
}

test('an agent that could not keep up with the kernel looks at everything anew', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 1 });
  const host = await serve(world);
  // The last announcements are over: nothing but the kernel makes it look.
  await sleep(3500);
  world.agent(1).freeze();
  const lines = stormLines(1000);
  await eventually(
    async () => {
      await ipBatch(host, ...lines);
      assert.ok((await droppedOn(host)) > 0);
    },
    { withinMs: 20_000 },
  );
  const places = new Map<string, string>();
  for (const ip of all) places.set(ip, await removeByHand(world, ip));
  // What it cannot have heard of, and does not look at without being told to.
  await ipBatch(host, 'link del kube-lb0');
  world.agent(1).thaw();
  for (const [ip, place] of places) {
    await eventually(async () => assert.deepEqual(await world.places(ip), [place]), {
      withinMs: 5000,
    });
  }
});

test('routes that say nothing of its links come and go by the thousand without waking an agent', {
  skip,
}, async (t) => {
  await using world = await AgentWorld.open({ nodes: 1 });
  const host = await serve(world);
  const routes = Array.from({ length: 20_000 }, (_, index) =>
    index % 2 === 0
      ? `198.19.${(index >> 6) & 255}.${(index % 64) * 4}/30 via 192.0.2.1`
      : `2001:db8:7:${index.toString(16)}::/64 via 2001:db8:1::1`,
  );
  await ipBatch(host, ...routes.map((route) => `route replace ${route}`));
  await sleep(3500);
  const passes = async () =>
    Number(/client_updates_total (\d+)/.exec(await world.read(1, '/metrics'))?.[1]);
  const [before, cpuBefore] = [await passes(), cpuMs(world.agent(1))];
  const few = routes.slice(0, 200);
  const rounds = 16;
  for (let round = 0; round < rounds; round++) {
    await ipBatch(host, ...few.map((route) => `route del ${route}`));
    await ipBatch(host, ...few.map((route) => `route add ${route}`));
    await sleep(150);
  }
  const cpu = cpuMs(world.agent(1)) - cpuBefore;
  const made = (await passes()) - before;
  const changes = rounds * few.length * 2;
  t.diagnostic(`${changes} changes beside 20000 routes: ${made} passes, ${cpu} ms of CPU`);
  // It looks now and then in any case.
  assert.ok(made <= 5, `${made} passes`);
  for (const ip of all) {
    const place = await removeByHand(world, ip);
    await eventually(async () => assert.deepEqual(await world.places(ip), [place]), {
      withinMs: 3000,
    });
  }
});
