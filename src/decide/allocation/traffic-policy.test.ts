import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges, type ServiceText } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const local: ServiceText = { spec: { externalTrafficPolicy: 'Local' } };

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
    'a/1 LocalOverride: externalTrafficPolicy is set to Cluster: Local does not work on local or shared addresses',
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
  world.policyReverts.set('a/1', 2);
  world.settle();
  assert.equal(policyOf(world), 'Cluster');
  world.edit('a/1', local).policyReverts.set('a/1', 3);
  world.takeEvents();
  world.settle();
  assert.equal(policyOf(world), 'Local');
  const [told, ...rest] = world.takeEvents();
  assert.match(
    told ?? '',
    /ConfigurationWarning: .*set back 3 times within a minute, though 192.0.2.0 is a local/,
  );
  assert.deepEqual(rest, []);
  world.policyReverts.clear();
  world.settle();
  assert.equal(policyOf(world), 'Cluster', 'a quiet minute later it is tried again');
});

test('a Service without an address is left as it is', () => {
  const world = new World().service('a/1', local).settle();
  assert.equal(policyOf(world), 'Local');
});
