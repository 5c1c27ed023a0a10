import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fate } from '../../lab/netbox/memory-transport.ts';
import { lookAt } from '../allocator/allocator-world.ts';
import { NetboxWorld, servicesPath as shop } from './netbox-world.ts';

const dual = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] };

test('I13: addresses come from Netbox one at a time, with its prefix, and go back', async () => {
  const world = new NetboxWorld(1);
  const allocator = world.start();
  world.service('web', dual);
  await world.cluster.clock.advance(25_000);
  const [web] = world.cluster.list(shop);
  assert.ok(web !== undefined);
  const { ingress, annotations } = lookAt(web);
  assert.deepEqual(ingress, ['198.51.100.0', '2001:db8::']);
  assert.equal(annotations['allocated-prefixes'], '198.51.100.0/26,2001:db8::/120');
  assert.equal(annotations['pool-type'], 'auto');
  world.compare();
  const [row] = world.room.netbox.tables.all('ipam/ip-addresses');
  assert.equal(row?.fields['description'], 'purelb cluster-uid shop/web');
  world.cluster.send('DELETE', `${shop}/web`);
  await world.cluster.clock.advance(5_000);
  assert.deepEqual([world.cluster.list(shop), world.room.records()], [[], []]);
  await allocator.stop();
});

function anyFate(below: (limit: number) => number): Fate {
  const fates: readonly Fate[] = [
    { kind: 'lost' },
    { kind: 'unanswered' },
    { kind: 'refused' },
    { kind: 'late', afterMs: below(20_000) },
  ];
  return (below(10) === 0 ? fates[below(4)] : undefined) ?? { kind: 'served' };
}

/** One Service comes, perhaps one goes. */
function changeServices(world: NetboxWorld, step: number): void {
  const { below, cluster } = world;
  world.service(`web-${step}`, below(2) === 0 ? dual : {});
  const names = cluster.list(shop).map(({ metadata }) => metadata.name);
  const leaving = below(2) === 0 ? names[below(names.length)] : undefined;
  if (leaving !== undefined) cluster.send('DELETE', `${shop}/${leaving}`);
}

/** Allocators come and go, Netbox fails in every way, Services are made and deleted. */
async function live(seed: number): Promise<void> {
  const world = new NetboxWorld(seed);
  const { below, cluster } = world;
  world.fateOf = () => anyFate(below);
  let pair = [world.start(), world.start()];
  for (let step = 0; step < 30; step += 1) {
    changeServices(world, step);
    await cluster.clock.advance([0, 50, 400, 3_000][below(4)] ?? 0);
    const victim = below(5) === 0 ? pair[below(2)] : undefined;
    if (victim === undefined) continue;
    await victim.crash();
    pair = [...pair.filter((each) => each !== victim), world.start()];
  }
  world.fateOf = () => ({ kind: 'served' });
  await cluster.clock.advance(700_000);
  try {
    world.compare();
    const waiting = cluster.list(shop).filter((object) => lookAt(object).ingress.length === 0);
    assert.deepEqual(waiting.map(lookAt), []);
  } catch (error) {
    const log = pair.flatMap((each) => each.log.slice(-15)).join('\n');
    throw new Error(`seed ${seed}: ${String(error)}\n${log}`, { cause: error });
  }
  for (const each of pair) await each.stop();
}

test('whoever dies and whatever fails, Services and Netbox agree in the end', async () => {
  for (let seed = 1; seed <= 2; seed += 1) await live(seed);
});
