/** Records outlive neither their group nor a new name of their slot, and nobody loses one that is used. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookAt } from '../allocator/allocator-world.ts';
import { groupsPath, NetboxWorld, servicesPath } from './netbox-world.ts';

test('a group that is deleted before its Services: their records go with them, and not before', async () => {
  const world = new NetboxWorld(21);
  const { clock } = world.cluster;
  const allocator = world.start();
  await clock.advance(20_000);
  for (const name of ['one', 'two']) world.service(name);
  await clock.advance(5_000);
  const before = world.room.records();
  assert.equal(before.length, 2);
  world.cluster.send('DELETE', `${groupsPath}/default`);
  await clock.advance(600_000);
  assert.deepEqual(world.room.records(), before, 'Services keep their addresses');
  assert.deepEqual(world.unrecorded(), []);
  assert.equal(world.cluster.list(groupsPath).length, 1, 'the group waits for them');
  world.cluster.send('DELETE', `${servicesPath}/one`);
  await clock.advance(5_000);
  assert.deepEqual(world.room.records().length, 1);
  assert.deepEqual(world.unrecorded(), []);
  world.cluster.send('DELETE', `${servicesPath}/two`);
  await clock.advance(5_000);
  assert.deepEqual([world.cluster.list(servicesPath), world.room.records()], [[], []]);
  assert.deepEqual(world.cluster.list(groupsPath), []);
  await allocator.stop();
});

test('a Service that gets a sharing key keeps its record, under the name of its new slot', async () => {
  const world = new NetboxWorld(22);
  const { clock } = world.cluster;
  const allocator = world.start();
  await clock.advance(20_000);
  world.service('web');
  await clock.advance(5_000);
  const [web] = world.cluster.list(servicesPath);
  assert.ok(web !== undefined);
  const { ingress } = lookAt(web);
  const annotations = { 'purelb.io/allow-shared-ip': 'web' };
  world.cluster.send('PATCH', `${servicesPath}/web`, { metadata: { annotations } });
  const lost: string[] = [];
  for (let passed = 0; passed < 900_000; passed += 5_000) {
    await clock.advance(5_000);
    lost.push(...world.unrecorded());
  }
  assert.deepEqual(lost, []);
  assert.deepEqual(world.room.records(), [
    `${ingress[0]}/26 active cluster-uid/default/share::web/4`,
  ]);
  assert.equal(world.count('DELETE'), 0);
  world.cluster.send('DELETE', `${servicesPath}/web`);
  await clock.advance(5_000);
  assert.deepEqual(world.room.records(), []);
  await allocator.stop();
});

test('what is wrong with many records is told of a few, and how many more there are', async () => {
  const world = new NetboxWorld(23);
  const { clock } = world.cluster;
  const allocator = world.start();
  await clock.advance(20_000);
  for (let index = 0; index < 20; index += 1) world.service(`web-${index}`);
  await clock.advance(20_000);
  for (const { id } of world.room.netbox.tables.all('ipam/ip-addresses')) {
    world.room.admin('PATCH', `ipam/ip-addresses/${id}/`, { status: 'deprecated' });
  }
  await clock.advance(300_000);
  const [group] = world.cluster.list(groupsPath);
  const text = JSON.stringify(group?.status);
  assert.match(text, /has the status deprecated in Netbox/);
  assert.match(text, /and 15 more like these/);
  await allocator.stop();
});
