import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges, type ServiceText } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const local: ServiceText = { spec: { externalTrafficPolicy: 'Local' } };

const isLocal = (ip: string, group = 'default') =>
  `${ip} is a local address, which one node holds: to keep Local, set externalTrafficPolicy: Preserve on ServiceGroup "${group}" or annotation purelb.io/allow-local on the Service`;

const setBack = (setbacks: number, refusal?: string) => ({ setbacks, refusal, isUntold: false });

function policyOf(world: World, key = 'a/1'): unknown {
  const { externalTrafficPolicy } = { ...(world.services.get(key)?.spec as object) } as {
    externalTrafficPolicy?: string;
  };
  return externalTrafficPolicy;
}

test('decision 11: on a local address the policy is Cluster, unless allow-local keeps it', () => {
  const world = new World()
    .group('default', ['192.0.2.0/28'])
    .service('a/1', local)
    .service('a/2', { ...local, annotations: { 'allow-local': '' } })
    .settle();
  assert.deepEqual([policyOf(world), policyOf(world, 'a/2')], ['Cluster', 'Local']);
  const told = world.takeEvents().filter((event) => event.includes('LocalOverride'));
  assert.deepEqual(told, [
    `a/1 LocalOverride: externalTrafficPolicy is set to Cluster because ${isLocal('192.0.2.0')}`,
  ]);
});

test('T7: on a remote address Local stays', () => {
  const v4pools = [{ pool: '203.0.113.0/28', subnet: '203.0.113.0/24', aggregation: '/32' }];
  const world = new World()
    .group('default', { remote: { v4pools } })
    .service('a/1', local)
    .settle();
  assert.equal(policyOf(world), 'Local');
  assert.match(world.condition('a/1') ?? '', /^True Allocated: 203.0.113.0 from pool default$/);
});

test('decision 12: Local with a route wider than the address is allowed, and warned of', () => {
  const world = new World()
    .group('default', { remote: ranges('203.0.113.0/28') })
    .service('a/1', local);
  world.settle();
  assert.equal(policyOf(world), 'Local');
  const warning =
    'externalTrafficPolicy Local with 203.0.113.0/24 loses traffic that reaches nodes without endpoints: use aggregation /32, or /30 where a router refuses that';
  assert.ok(world.takeEvents().includes(`a/1 ConfigurationWarning: ${warning}`));
  assert.ok(world.condition('a/1')?.endsWith(warning));
  assert.deepEqual(world.settle().takeEvents(), []);
});

test('decision 11: a shared address of any kind has policy Cluster, from the second Service on', () => {
  const share = (port: string): ServiceText => ({
    ...local,
    ports: [port],
    annotations: { 'allow-shared-ip': 'k', 'allow-local': '' },
  });
  const world = new World()
    .group('default', { remote: ranges('203.0.113.0/28') })
    .service('a/1', share('TCP/1'))
    .settle();
  assert.equal(policyOf(world), 'Local');
  world.service('a/2', share('TCP/2')).settle();
  assert.deepEqual([policyOf(world), policyOf(world, 'a/2')], ['Cluster', 'Cluster']);
});

test('an automatic group is local where a node is on the subnet, as far as that is known', () => {
  const policyWith = (subnets: readonly string[] | undefined) => {
    const v4pools = [{ pool: '192.0.2.0/28', subnet: '192.0.2.0/24', aggregation: '/32' }];
    const world = new World().group('default', { announce: 'auto', local: { v4pools } });
    world.subnets = subnets;
    return policyOf(world.service('a/1', local).settle());
  };
  assert.equal(policyWith(['192.0.2.0/24']), 'Cluster');
  assert.equal(policyWith(['198.51.100.0/24', '!192.0.2.0/24']), 'Local');
  assert.equal(policyWith(undefined), 'Local');
});

test('D 4.11: after three reverts in a minute it is left, and said so once', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1', local);
  world.policyRewrites.set('a/1', setBack(2));
  world.settle();
  assert.equal(policyOf(world), 'Cluster');
  world.edit('a/1', local).policyRewrites.set('a/1', setBack(3));
  world.takeEvents();
  world.settle();
  assert.equal(policyOf(world), 'Local');
  const [told, ...rest] = world.takeEvents();
  assert.match(
    told ?? '',
    /ConfigurationWarning: .*set back 3 times within a minute, though 192.0.2.0 is a local/,
  );
  assert.deepEqual(rest, []);
  world.policyRewrites.clear();
  world.settle();
  assert.equal(policyOf(world), 'Cluster', 'a quiet minute later it is tried again');
});

test('a Service without an address is left as it is', () => {
  const world = new World().service('a/1', local).settle();
  assert.equal(policyOf(world), 'Local');
});

test('a group with externalTrafficPolicy Preserve keeps Local on its addresses', () => {
  const preserving = { externalTrafficPolicy: 'Preserve', local: ranges('192.0.2.0/28') };
  const world = new World().group('default', preserving).service('a/1', local).settle();
  assert.equal(policyOf(world), 'Local');
  assert.equal(world.condition('a/1'), 'True Allocated: 192.0.2.0 from pool default');
  world.editGroup('default', ['192.0.2.0/28']).settle();
  assert.equal(policyOf(world), 'Cluster', 'the group keeps it no longer');
});

test('decision 11: an address that is shared has policy Cluster, whatever its group preserves', () => {
  const share = (port: string): ServiceText => ({
    ...local,
    ports: [port],
    annotations: { 'allow-shared-ip': 'k' },
  });
  const world = new World()
    .group('default', { externalTrafficPolicy: 'Preserve', local: ranges('192.0.2.0/28') })
    .service('a/1', share('TCP/1'))
    .settle();
  assert.equal(policyOf(world), 'Local');
  world.service('a/2', share('TCP/2')).settle();
  assert.deepEqual([policyOf(world), policyOf(world, 'a/2')], ['Cluster', 'Cluster']);
  const why = '192.0.2.0 is shared: to keep Local, give the Service an address of its own';
  for (const key of ['a/1', 'a/2']) {
    const condition = world.condition(key) ?? '';
    assert.ok(condition.endsWith(`externalTrafficPolicy was set to Cluster because ${why}`));
  }
});

test('the policy is rewritten before the address is published, and only that is said with it', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1', local);
  world.step();
  assert.deepEqual([policyOf(world), world.addresses('a/1')], ['Cluster', []]);
  assert.deepEqual(
    world.takeEvents().map((event) => event.split(':')[0]),
    ['default Parsed', 'a/1 LocalOverride'],
  );
  world.step();
  assert.deepEqual([policyOf(world), world.addresses('a/1')], ['Cluster', ['192.0.2.0']]);
  assert.deepEqual(world.takeEvents(), [
    'a/1 AddressAssigned: Assigned 192.0.2.0 from pool default',
  ]);
});

test('the condition tells of the rewrite, and of the way to keep Local, until Local is kept', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1', local).settle();
  const plain = 'True Allocated: 192.0.2.0 from pool default';
  const told = `${plain}; externalTrafficPolicy was set to Cluster because ${isLocal('192.0.2.0')}`;
  assert.equal(world.condition('a/1'), told);
  world.policyRewrites.clear();
  world.settle();
  assert.equal(world.condition('a/1'), told, 'the next allocator knows it from the condition');
  world.edit('a/1', { annotations: { 'allow-local': '' } }).settle();
  assert.equal(world.condition('a/1'), plain);
  world.edit('a/1', { annotations: { 'allow-local': null } }).settle();
  assert.equal(world.condition('a/1'), plain, 'Cluster is what the Service asks for now');
});

test('a rewrite that fails three times is given up, and the address published with the reason', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1', local);
  world.policyRewrites.set('a/1', setBack(3, 'denied by policy'));
  world.settle();
  assert.deepEqual([policyOf(world), world.addresses('a/1')], ['Local', ['192.0.2.0']]);
  const text = `externalTrafficPolicy is left at Local because the change to Cluster failed (denied by policy), though ${isLocal('192.0.2.0')}`;
  assert.ok(world.takeEvents().includes(`a/1 ConfigurationWarning: ${text}`));
  assert.ok(world.condition('a/1')?.endsWith(text));
});
