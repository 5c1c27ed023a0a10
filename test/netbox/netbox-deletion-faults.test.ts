/** Whatever dies or comes late while a group is deleted: no record stays behind, and none in use goes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tenant } from '../../lab/netbox/set-up.ts';
import {
  conditionOf,
  finalizer,
  finalizersOf,
  group,
  groups,
  removeGroup,
  removeServices,
} from './group-deletion.ts';
import { groupsPath, NetboxWorld, servicesPath } from './netbox-world.ts';

const cleared = [[], [], []];
const leftOf = (world: NetboxWorld) => [
  world.room.records(),
  world.cluster.list(servicesPath),
  groups(world),
];

/** Services and group are made and deleted, and the allocator dies, all within a second. */
async function dieWithin(world: NetboxWorld): Promise<void> {
  const { clock } = world.cluster;
  const allocator = world.start();
  await clock.advance(5_000);
  for (const name of ['one', 'two']) world.service(name);
  await clock.advance(world.below(300));
  const isGroupFirst = world.below(2) === 0;
  if (isGroupFirst) removeGroup(world);
  await clock.advance(world.below(200));
  removeServices(world, 'one', 'two');
  await clock.advance(world.below(100));
  if (!isGroupFirst) removeGroup(world);
  await clock.advance(world.below(200));
  await allocator.crash();
}

test('an allocator that is killed at any moment while Services and group go leaves no record', async () => {
  let survivors = 0;
  for (let seed = 41; seed < 51; seed += 1) {
    const world = new NetboxWorld(seed);
    await dieWithin(world);
    survivors += world.room.records().length;
    const next = world.start();
    for (let waits = 0; waits < 18 && groups(world).length > 0; waits += 1) {
      await world.cluster.clock.advance(50_000);
    }
    assert.deepEqual(leftOf(world), cleared, `seed ${seed}`);
    await next.stop();
  }
  assert.ok(survivors > 0, 'some died while there were records');
});

test('a standby finishes what a leader that died began', async () => {
  const world = new NetboxWorld(53);
  const { clock } = world.cluster;
  const leader = world.start();
  await clock.advance(5_000);
  const standby = world.start();
  world.service('one');
  await clock.advance(20_000);
  removeGroup(world);
  await clock.advance(5_000);
  assert.match(conditionOf(world), /^InUse: a Service uses/);
  await leader.crash();
  removeServices(world, 'one');
  await clock.advance(300_000);
  assert.deepEqual(leftOf(world), cleared);
  await standby.stop();
});

test('a request that Netbox carries out minutes late leaves no record of a deleted group', async () => {
  const world = new NetboxWorld(54);
  const { clock } = world.cluster;
  const allocator = world.start();
  await clock.advance(5_000);
  world.fateOf = () => {
    const isOrder = world.requests.at(-1)?.startsWith('POST') === true;
    return isOrder ? { kind: 'late', afterMs: 150_000 } : { kind: 'served' };
  };
  world.service('one');
  await clock.advance(20_000);
  removeServices(world, 'one');
  removeGroup(world);
  await clock.advance(60_000);
  assert.deepEqual([world.room.records(), world.cluster.list(servicesPath)], [[], []]);
  assert.match(conditionOf(world), /^Returning: Netbox has no records .* searched again/);
  await clock.advance(120_000);
  assert.equal(world.room.records().length, 1, 'it came after all');
  await clock.advance(600_000);
  assert.deepEqual(leftOf(world), cleared);
  await allocator.stop();
});

test('records of another cluster with the same clusterId outlive the deletion of the group', async () => {
  const world = new NetboxWorld(55);
  const { clock } = world.cluster;
  world.cluster.send('PATCH', group, { spec: { netbox: { clusterId: 'cluster-uid' } } });
  const allocator = world.start();
  world.service('one');
  await clock.advance(20_000);
  for (const last of [40, 41, 42]) addRecord(world, last);
  const foreign = world.room.records().filter((record) => record.includes('/uid-'));
  removeServices(world, 'one');
  removeGroup(world);
  await clock.advance(1_200_000);
  assert.deepEqual(world.room.records(), foreign);
  assert.match(conditionOf(world), /^UnknownOwner: Netbox has 3 records .* same clusterId/);
  world.cluster.send('PATCH', group, { metadata: { finalizers: null } });
  assert.deepEqual(groups(world), []);
  await allocator.stop();
});

function addRecord(world: NetboxWorld, last: number): void {
  world.room.admin('POST', 'ipam/ip-addresses/', {
    status: 'active',
    tenant: { slug: tenant },
    address: `198.51.100.${last}/26`,
    custom_fields: {
      purelb_slot: `cluster-uid/default/uid-${last}/4`,
      purelb_cluster: 'cluster-uid',
    },
  });
}

test('a group cannot be made again under its name before its records are returned, and can be then', async () => {
  const world = new NetboxWorld(56);
  const { clock } = world.cluster;
  const allocator = world.start();
  world.service('one');
  await clock.advance(20_000);
  const { uid } = groups(world)[0]?.metadata ?? {};
  const netbox = { url: 'https://netbox.example', tenant, prefixes: ['2001:db8::/120'] };
  const again = { apiVersion: 'purelb.io/v2', kind: 'ServiceGroup', spec: { netbox } };
  const create = () =>
    world.cluster.send('POST', groupsPath, { ...again, metadata: { name: 'default' } });
  removeGroup(world);
  assert.throws(create, /409/);
  removeServices(world, 'one');
  await clock.advance(20_000);
  assert.notEqual(create().metadata.uid, uid);
  world.service('two', { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' });
  await clock.advance(20_000);
  assert.deepEqual([finalizersOf(world), world.room.records().length], [[finalizer], 1]);
  assert.deepEqual(world.unrecorded(), []);
  await allocator.stop();
});

test('an allocator that may not write the finalizer serves Services, and the group warns', async () => {
  const world = new NetboxWorld(57);
  const { clock } = world.cluster;
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/purelb:allocator';
  const role = world.cluster.send('GET', path) as unknown as { rules: Rule[] };
  const rules = role.rules.map((rule) =>
    rule.resources.includes('servicegroups') ? { ...rule, verbs: ['list', 'watch'] } : rule,
  );
  world.cluster.send('PATCH', path, { rules });
  const allocator = world.start();
  world.service('one');
  await clock.advance(20_000);
  assert.deepEqual([world.room.records().length, world.unrecorded()], [1, []]);
  assert.match(
    conditionOf(world, 'SourceReady'),
    /may not set the finalizer .*: apply deploy\/rbac/,
  );
  world.cluster.send('PATCH', path, { rules: role.rules });
  await clock.advance(300_000);
  assert.deepEqual(finalizersOf(world), [finalizer]);
  assert.doesNotMatch(conditionOf(world, 'SourceReady'), /finalizer/);
  await allocator.stop();
});

test('Services with forged marks do not hold up the deletion of a group', async () => {
  const world = new NetboxWorld(58);
  const { clock } = world.cluster;
  const allocator = world.start();
  world.service('one');
  await clock.advance(20_000);
  removeServices(world, 'one');
  await clock.advance(10_000);
  const marks = { 'purelb.io/allocated-by': 'PureLB', 'purelb.io/allocated-from': 'default' };
  world.service('plain', { type: 'ClusterIP' }, marks);
  world.service('foreign', { loadBalancerClass: 'example.com/other' }, marks);
  world.service('ours', {}, marks);
  removeGroup(world);
  await clock.advance(60_000);
  assert.deepEqual([groups(world), world.room.records()], [[], []]);
  await allocator.stop();
});

interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}
