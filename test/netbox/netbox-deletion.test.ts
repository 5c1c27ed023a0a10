/** A ServiceGroup that is deleted stays until Netbox has its records back, and says what it waits for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookAt } from '../allocator/allocator-world.ts';
import {
  conditionOf,
  eventsOf,
  finalizer,
  finalizersOf,
  group,
  groups,
  removeGroup,
  removeServices,
} from './group-deletion.ts';
import { NetboxWorld, servicesPath } from './netbox-world.ts';

/** The records of these Services are made, and then no allocator runs any more. */
async function serveAndCrash(world: NetboxWorld, names: readonly string[]): Promise<void> {
  const allocator = world.start();
  for (const name of names) world.service(name);
  await world.cluster.clock.advance(30_000);
  assert.equal(world.room.records().length, names.length);
  await allocator.crash();
}

test('records of a group deleted while no allocator ran are returned', async () => {
  const world = new NetboxWorld(31);
  const { clock } = world.cluster;
  await serveAndCrash(world, ['one', 'two']);
  const before = world.room.records();
  removeGroup(world);
  removeServices(world, 'one', 'two');
  await clock.advance(60_000);
  assert.deepEqual(world.room.records(), before);
  const allocator = world.start();
  await clock.advance(300_000);
  assert.deepEqual([world.room.records(), world.cluster.list(servicesPath)], [[], []]);
  assert.deepEqual(groups(world), []);
  await allocator.stop();
});

test('a group that is deleted while no allocator runs waits for its Services, whose records stay', async () => {
  const world = new NetboxWorld(32);
  const { clock } = world.cluster;
  await serveAndCrash(world, ['one', 'two']);
  const before = world.room.records();
  removeGroup(world);
  const allocator = world.start();
  world.service('late');
  await clock.advance(900_000);
  assert.deepEqual([world.room.records(), world.unrecorded()], [before, []]);
  assert.match(conditionOf(world), /^InUse: 2 Services use addresses of this group: shop\/one/);
  assert.match(conditionOf(world), /remove the finalizer purelb\.io\/release-records$/);
  assert.equal(eventsOf(world, 'DeletionWaits').length, 1);
  const late = lookAt(world.cluster.send('GET', `${servicesPath}/late`));
  assert.match(late.allocated ?? '', /ServiceGroup "default" is being deleted/);
  removeServices(world, 'one', 'two', 'late');
  await clock.advance(30_000);
  assert.deepEqual([world.room.records(), groups(world)], [[], []]);
  await allocator.stop();
});

test('a group that is deleted with its Services while Netbox is away says so, and goes when Netbox is back', async () => {
  const world = new NetboxWorld(33);
  const { clock } = world.cluster;
  const names = ['one', 'two', 'three', 'four', 'five'];
  const allocator = world.start();
  for (const name of names) world.service(name);
  await clock.advance(30_000);
  world.fateOf = () => ({ kind: 'refused' });
  removeServices(world, ...names);
  removeGroup(world);
  await clock.advance(300_000);
  assert.deepEqual(world.cluster.list(servicesPath), [], 'Services wait a minute');
  assert.equal(world.room.records().length, names.length);
  assert.match(
    conditionOf(world),
    /^Unavailable: Netbox cannot be reached: .*; to delete the group now and leave its records in Netbox, remove the finalizer purelb\.io\/release-records$/,
  );
  assert.ok(eventsOf(world, 'DeletionWaits').some((note) => note.includes('cannot be reached')));
  world.fateOf = () => ({ kind: 'served' });
  await clock.advance(600_000);
  assert.deepEqual([world.room.records(), groups(world)], [[], []]);
  await allocator.stop();
});

test('a group whose token was revoked is held until the finalizer is removed, which leaves the records', async () => {
  const world = new NetboxWorld(34);
  const { clock } = world.cluster;
  await serveAndCrash(world, ['one']);
  world.fateOf = () => ({ kind: 'answer', change: () => forbidden });
  removeServices(world, 'one');
  removeGroup(world);
  const allocator = world.start();
  await clock.advance(300_000);
  assert.match(conditionOf(world), /^Denied: Netbox refuses the API token: Invalid token; /);
  world.cluster.send('PATCH', group, { metadata: { finalizers: null } });
  await clock.advance(10_000);
  assert.deepEqual([groups(world), world.room.records().length], [[], 1]);
  await allocator.stop();
});

const forbidden = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ detail: 'Invalid token' }),
};

test('a group that Netbox never had a record of is deleted at once', async () => {
  const world = new NetboxWorld(35);
  world.fateOf = () => ({ kind: 'refused' });
  const allocator = world.start();
  world.service('one');
  await world.cluster.clock.advance(60_000);
  assert.deepEqual(finalizersOf(world), []);
  removeGroup(world);
  assert.deepEqual(groups(world), []);
  await allocator.stop();
});

test('a group without Services is gone within seconds after it is deleted', async () => {
  const world = new NetboxWorld(36);
  const { clock } = world.cluster;
  const allocator = world.start();
  world.service('one');
  await clock.advance(20_000);
  assert.deepEqual(finalizersOf(world), [finalizer]);
  removeServices(world, 'one');
  await clock.advance(10_000);
  removeGroup(world);
  await clock.advance(5_000);
  assert.deepEqual([groups(world), world.room.records()], [[], []]);
  assert.deepEqual(eventsOf(world, 'DeletionWaits'), []);
  await allocator.stop();
});

test('a finalizer that someone removes from a group in use is set again, and those of others stay', async () => {
  const world = new NetboxWorld(37);
  const { clock } = world.cluster;
  const allocator = world.start();
  world.service('one');
  await clock.advance(20_000);
  world.cluster.send('PATCH', group, { metadata: { finalizers: ['example.com/hold'] } });
  await clock.advance(5_000);
  assert.deepEqual(finalizersOf(world), ['example.com/hold', finalizer]);
  removeServices(world, 'one');
  removeGroup(world);
  await clock.advance(30_000);
  assert.deepEqual(finalizersOf(world), ['example.com/hold']);
  world.cluster.send('PATCH', group, { metadata: { finalizers: null } });
  assert.deepEqual(groups(world), []);
  await allocator.stop();
});

test('a group that is deleted by force while Services use it returns their records as they go', async () => {
  const world = new NetboxWorld(38);
  const { clock } = world.cluster;
  const allocator = world.start();
  for (const name of ['one', 'two']) world.service(name);
  await clock.advance(20_000);
  const before = world.room.records();
  removeGroup(world);
  await clock.advance(5_000);
  world.cluster.send('PATCH', group, { metadata: { finalizers: null } });
  await clock.advance(300_000);
  assert.deepEqual([groups(world), world.room.records()], [[], before]);
  assert.ok(allocator.log.some((line) => line.includes('ServiceGroup is gone')));
  removeServices(world, 'one', 'two');
  await clock.advance(10_000);
  assert.deepEqual(world.room.records(), []);
  await allocator.stop();
});

test('a group that changes from Netbox to ranges is not held, and is told about its records', async () => {
  const world = new NetboxWorld(39);
  const { clock } = world.cluster;
  const allocator = world.start();
  world.service('one');
  await clock.advance(20_000);
  const before = world.room.records();
  const v4pools = [{ pool: '198.51.100.0/26', subnet: '198.51.100.0/24' }];
  world.cluster.send('PATCH', group, { spec: { netbox: null, local: { v4pools } } });
  await clock.advance(10_000);
  assert.deepEqual([finalizersOf(world), world.room.records()], [[], before]);
  assert.match(eventsOf(world, 'RecordsLeft').join(), /delete them there by hand/);
  removeGroup(world);
  assert.deepEqual(groups(world), []);
  await allocator.stop();
});
