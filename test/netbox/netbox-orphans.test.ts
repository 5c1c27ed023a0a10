import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tenant } from '../../lab/netbox/set-up.ts';
import { groupsPath, NetboxWorld, servicesPath } from './netbox-world.ts';

/** Without the finalizer, as people do it who are in a hurry: nobody hears of it. */
function removeUnheard(world: NetboxWorld, name: string): void {
  const path = `${servicesPath}/${name}`;
  world.cluster.send('PATCH', path, { metadata: { finalizers: null } });
  world.cluster.send('DELETE', path);
}

/** Marked as another cluster's, and of a person who marks nothing. */
function addForeign(world: NetboxWorld): readonly string[] {
  const body = { status: 'active', tenant: { slug: tenant } };
  const slot = 'other-cluster/default/uid-9/4';
  world.room.admin('POST', 'ipam/ip-addresses/', {
    ...body,
    address: '198.51.100.40/26',
    description: 'purelb other-cluster shop/web',
    custom_fields: { purelb_slot: slot, purelb_cluster: 'other-cluster' },
  });
  world.room.admin('POST', 'ipam/ip-addresses/', { ...body, address: '198.51.100.41/26' });
  return [`198.51.100.40/26 active ${slot}`, '198.51.100.41/26 active -'];
}

/** Served, and then no allocator runs any more. */
async function serve(world: NetboxWorld, names: readonly string[]): Promise<void> {
  const allocator = world.start();
  for (const name of names) world.service(name);
  await world.cluster.clock.advance(30_000);
  assert.equal(world.room.records().length, names.length);
  await allocator.crash();
}

test('what a Service had that went while no allocator ran is released, and nothing else is', async () => {
  const world = new NetboxWorld(3);
  const { clock } = world.cluster;
  await serve(world, ['one', 'two', 'three']);
  const before = world.room.records();
  const { uid = '' } = world.cluster.send('GET', `${servicesPath}/two`).metadata;
  const others = before.filter((record) => !record.includes(uid));
  removeUnheard(world, 'two');
  const foreign = addForeign(world);
  const allocator = world.start();
  // The guard: a request that is still under way somewhere may land as late as that.
  await clock.advance(180_000);
  assert.deepEqual(world.room.records(), [...before, ...foreign]);
  await clock.advance(600_000);
  assert.deepEqual(world.room.records(), [...others, ...foreign]);
  assert.ok(allocator.log.some((line) => line.includes('Returned an address that no Service has')));
  await clock.advance(3_600_000);
  assert.deepEqual(world.room.records(), [...others, ...foreign]);
  await allocator.stop();
});

test('where most of what is on record belongs to nobody none of it goes, and the group says so', async () => {
  const world = new NetboxWorld(4);
  const names = ['one', 'two', 'three', 'four'];
  await serve(world, names);
  const before = world.room.records();
  for (const name of names.slice(1)) removeUnheard(world, name);
  const allocator = world.start();
  await world.cluster.clock.advance(1_800_000);
  assert.deepEqual(world.room.records(), before);
  const [group] = world.cluster.list(groupsPath);
  assert.match(
    JSON.stringify(group?.status),
    /3 of 4 records belong to no Service: none is removed/,
  );
  await allocator.stop();
});
