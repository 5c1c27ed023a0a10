import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectMeta } from '../../model/kube-object.ts';
import { prefixOf } from '../../model/prefix.ts';
import { recordsFinalizer } from '../../model/well-known-names.ts';
import type { RemainingRecords, SourceReport } from './allocation-state.ts';
import { planFinalizers } from './plan-finalizers.ts';
import { returnKey } from './source-returns.ts';
import { World } from './world.fixture.ts';

const netbox = { url: 'https://netbox.example', prefixes: ['203.0.113.0/24'] };
const key = 'purelb-system/default';
const advice = `to delete the group now and leave its records in Netbox, remove the finalizer ${recordsFinalizer}`;

/** One group with Netbox, and Services that have an address of it. */
function worldOf(...services: readonly string[]): World {
  const world = new World().group('default', { netbox });
  for (const [index, name] of services.entries()) {
    world.service(name);
    const addresses = [prefixOf(`203.0.113.${index + 1}/24`)];
    world.answers.set(name, { pool: 'default', addresses, failures: [] });
  }
  world.settle().answers.clear();
  return world;
}

function changeGroup(world: World, metadata: Partial<ObjectMeta>): World {
  const object = world.groups.get(key);
  assert.ok(object !== undefined);
  world.groups.set(key, { ...object, metadata: { ...object.metadata, ...metadata } });
  return world;
}

const protect = (world: World) => changeGroup(world, { finalizers: [recordsFinalizer] });
const deletionTimestamp = '2026-01-01T00:00:00Z';
const remove = (world: World) => changeGroup(world, { deletionTimestamp, generation: 2 });

/** `remaining`: undefined before the source was searched. */
function report(world: World, remaining?: RemainingRecords, more: Partial<SourceReport> = {}) {
  const well = { isReady: true, reason: 'Answering', message: 'Netbox answers' } as const;
  world.sources.set('default', { ...well, warnings: [], stats: undefined, remaining, ...more });
  return world;
}

const empty: RemainingRecords = { records: 0, isSuspicious: false, isSettled: true };
const removed = { kind: 'remove', events: [] };
const planFor = (world: World) => planFinalizers(world.state()).get(key);

/** The reason and what the deletion waits for, without how to force it. */
function waitOf(world: World): string | undefined {
  const plan = planFor(world);
  if (plan?.kind !== 'wait') return plan?.kind;
  assert.ok(plan.message.endsWith(`; ${advice}`), plan.message);
  return `${plan.reason}: ${plan.message.slice(0, -advice.length - 2)}`;
}

test('a group gets the finalizer again while Services have addresses from it, and none before', () => {
  assert.equal(planFor(worldOf()), undefined);
  assert.equal(
    planFor(new World().group('default', { netbox }).service('a/1').settle()),
    undefined,
  );
  assert.deepEqual(planFor(worldOf('a/1')), { kind: 'add' });
  assert.equal(planFor(protect(worldOf('a/1'))), undefined);
  assert.equal(planFor(protect(worldOf())), undefined);
});

test('a group of ranges gets no finalizer', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1').settle();
  assert.equal(planFor(world), undefined);
});

test('a group that is being deleted waits for its Services, and says which', () => {
  const one = remove(protect(worldOf('a/1')));
  const move =
    'delete them, or move them to another group with purelb.io/service-group and purelb.io/re-evaluate';
  assert.equal(
    waitOf(report(one, empty)),
    `InUse: a Service uses addresses of this group: a/1; ${move}`,
  );
  const many = remove(protect(worldOf('a/1', 'a/2', 'a/3', 'a/4', 'a/5')));
  assert.equal(
    waitOf(many),
    `InUse: 5 Services use addresses of this group: a/1, a/2, a/3, 2 more; ${move}`,
  );
});

test('a Service that is being deleted counts until Netbox has its address back', () => {
  const world = report(remove(protect(worldOf('a/1'))), empty);
  world.delete('a/1').settle();
  assert.match(waitOf(world) ?? '', /^InUse: .*: a\/1;/);
  world.returned.add(returnKey('uid-2', 'default'));
  world.settle();
  assert.deepEqual(planFor(world), removed);
});

test('without Services a group waits until Netbox was searched, answers, and has nothing left', () => {
  const world = remove(protect(worldOf()));
  const searched = 'Returning: Netbox is searched for records of this group';
  assert.equal(waitOf(world), searched);
  assert.equal(waitOf(report(world)), searched);
  const message = 'Netbox cannot be reached';
  const failing = { isReady: false, reason: 'Unavailable', message } as const;
  assert.equal(waitOf(report(world, empty, failing)), `Unavailable: ${message}`);
  const found =
    'Netbox has 3 records in the name of this group that belong to no Service of this cluster';
  assert.equal(
    waitOf(report(world, { ...empty, records: 3 })),
    `Returning: ${found}: they are returned within minutes`,
  );
  assert.equal(
    waitOf(report(world, { ...empty, records: 3, isSuspicious: true })),
    `UnknownOwner: ${found}; another cluster may have the same clusterId: delete them in Netbox if nobody uses them`,
  );
  assert.match(
    waitOf(report(world, { ...empty, isSettled: false })) ?? '',
    /^Returning: Netbox has no records of this group; it is searched again/,
  );
  assert.deepEqual(planFor(report(world, empty)), removed);
});

test('a group that is being deleted and never had a record is not held', () => {
  assert.equal(planFor(remove(worldOf())), undefined);
});

test('a group with an IPAM of its own goes when no Service has an address from it', () => {
  const world = new World().group('default', { external: { provider: 'acme' } });
  assert.deepEqual(planFor(remove(protect(world))), removed);
});

test('a group whose source became ranges loses the finalizer, and is told about its records', () => {
  const world = protect(worldOf('a/1')).editGroup('default', ['203.0.113.0/28']);
  const message =
    'records that were made for ServiceGroup "default" elsewhere are no longer managed (its addresses come from ranges): delete them there by hand';
  const expected = { kind: 'remove', events: [{ reason: 'RecordsLeft', message }] };
  assert.deepEqual(planFor(world), expected);
  assert.deepEqual(planFor(remove(world)), expected);
});

test('a group whose spec cannot be read says how it can be deleted', () => {
  const world = protect(worldOf()).editGroup('default', { netbox: {} });
  assert.equal(planFor(world), undefined);
  const plan = planFor(remove(world));
  assert.ok(plan?.kind === 'wait');
  assert.equal(plan.reason, 'ParseFailed');
  assert.match(
    plan.message,
    /correct the spec, or remove the finalizer purelb.io\/release-records/,
  );
});

test('a group that is not in force lets its records be', () => {
  const world = worldOf().group('default', { netbox }, 'other');
  const other = world.groups.get('other/default');
  assert.ok(other !== undefined);
  const metadata = { ...other.metadata, deletionTimestamp, finalizers: [recordsFinalizer] };
  world.groups.set('other/default', { ...other, metadata });
  const plan = planFinalizers(world.state()).get('other/default');
  assert.ok(plan?.kind === 'remove');
  assert.deepEqual(
    plan.events.map(({ reason }) => reason),
    ['RecordsLeft'],
  );
});

test('a group that is being deleted gives nothing out, and its Services keep what they have', () => {
  const world = worldOf('a/1').service('a/2').settle();
  remove(protect(world)).service('a/3').settle();
  assert.deepEqual(world.look(), [
    'a/1: 203.0.113.1',
    'a/2: NoUsablePool, no usable pool: ServiceGroup "default" is being deleted',
    'a/3: NoUsablePool, no usable pool: ServiceGroup "default" is being deleted',
  ]);
  assert.equal(world.condition('a/1')?.split(':')[0], 'True Allocated');
  const families = { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' };
  world.edit('a/1', { spec: families }).settle();
  assert.deepEqual(world.addresses('a/1'), ['203.0.113.1'], 'nor a second family');
});

test('what the deletion waits for is a condition, and an Event when the cause changes', () => {
  const world = remove(protect(worldOf('a/1', 'a/2')));
  world.takeEvents();
  const said = () => {
    const { conditions = [] } = world.settle().groupStatus('default');
    const text = conditions
      .map((each) => ({ reason: '', ...each }))
      .map(({ type, status, reason }) => `${type} ${status} ${reason}`);
    const events = world.takeEvents().filter((event) => event.startsWith('default '));
    const isOurs = (each: string) => /^(Ready|RecordsReturned) /.test(each);
    return [...text.filter(isOurs), ...events.map((event) => event.split(':')[0])];
  };
  const ready = 'Ready False BeingDeleted';
  assert.deepEqual(said(), [ready, 'RecordsReturned False InUse', 'default DeletionWaits']);
  world.delete('a/1');
  world.returned.add(returnKey('uid-2', 'default'));
  assert.deepEqual(said(), [ready, 'RecordsReturned False InUse'], 'one Service less is no news');
  world.delete('a/2');
  world.returned.add(returnKey('uid-3', 'default'));
  assert.deepEqual(said(), [ready, 'RecordsReturned False Returning'], 'nothing is to be done');
  report(world, undefined, { isReady: false, reason: 'Denied', message: 'Netbox refuses' });
  assert.deepEqual(said(), [ready, 'RecordsReturned False Denied', 'default DeletionWaits']);
});
