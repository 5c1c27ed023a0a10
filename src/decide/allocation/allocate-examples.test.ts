/** The examples of the original documentation, and what each must give. Their addresses are part of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.fixture.ts';

function oldGroup(world: World, name: string, spec: object): World {
  world.groups.set(`purelb-system/${name}`, {
    apiVersion: 'purelb.io/v1',
    kind: 'ServiceGroup',
    metadata: { name, namespace: 'purelb-system', generation: 1 },
    spec,
  });
  return world;
}

const ask = (group: string) => ({ annotations: { 'service-group': group } });

test('000: a flat group goes by the name in its spec', () => {
  const world = oldGroup(new World(), 'localaddressrange', {
    name: 'localaddrange',
    subnet: '192.168.151.0/24',
    pool: '192.168.151.240-192.168.151.250',
    aggregation: 'default',
  });
  world.service('a/1', ask('localaddrange')).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.168.151.240']);
  const names = ['allocated-by', 'allocated-from', 'pool-type', 'allocated-prefixes'];
  assert.deepEqual(
    names.map((name) => world.annotation('a/1', name)),
    ['PureLB', 'localaddrange', 'auto', '192.168.151.240/24'],
  );
});

test('001: a flat group of another subnet is given out alike', () => {
  const world = oldGroup(new World(), 'virtaddrange', {
    subnet: '172.22.0.0/24',
    pool: '172.22.0.10-172.22.0.25',
  });
  world.service('a/1', ask('virtaddrange')).service('a/2', ask('virtaddrange')).settle();
  assert.deepEqual(world.look(), ['a/1: 172.22.0.10', 'a/2: 172.22.0.11']);
});

test('002: a range that runs backwards out of its subnet is refused with what was meant', () => {
  const remotedual = (pool: string) => ({
    local: {
      v4pools: [{ subnet: '172.32.100.0/24', pool, aggregation: '/32' }],
      v6pools: [
        { subnet: 'fc00:370:155::/64', pool: 'fc00:370:155:0:8000::/126', aggregation: '/128' },
      ],
    },
  });
  const world = oldGroup(new World(), 'remotedual', remotedual('172.32.100.225-172.30.100.229'));
  world.service('a/1', { families: ['IPv4', 'IPv6'], ...ask('remotedual') }).settle();
  assert.match(world.takeEvents()[0] ?? '', /did you mean 172\.32\.100\.225-172\.32\.100\.229\?/);
  assert.match(world.look()[0] ?? '', /ServiceGroup "remotedual" failed to parse$/);
  world.editGroup('remotedual', remotedual('172.32.100.225-172.32.100.229')).settle();
  assert.deepEqual(world.addresses('a/1'), ['172.32.100.225', 'fc00:370:155:0:8000::']);
  assert.ok(
    world
      .takeEvents()
      .includes(
        'a/1 AddressAssigned: Assigned 172.32.100.225, fc00:370:155:0:8000:: from pool remotedual',
      ),
  );
});

test('003: a CIDR pool starts at the address as written, and node ports are not needed', () => {
  const world = oldGroup(new World(), 'localaddrange', {
    local: {
      v4pools: [{ subnet: '192.168.10.0/24', pool: '192.168.10.240-192.168.10.243' }],
      v6pools: [{ subnet: 'fc00:270:154::/64', pool: 'fc00:270:154:0:8100::4/64' }],
    },
  });
  world
    .service('a/1', {
      families: ['IPv4', 'IPv6'],
      spec: { allocateLoadBalancerNodePorts: false },
      ...ask('localaddrange'),
    })
    .settle();
  assert.deepEqual(world.addresses('a/1'), ['192.168.10.240', 'fc00:270:154:0:8100::4']);
});

test('004: a remote pool of one address', () => {
  const remote = {
    v4pools: [{ subnet: '172.31.0.0/24', pool: '172.31.0.1/32', aggregation: '/32' }],
  };
  const world = new World()
    .group('default', { remote })
    .service('a/1', { spec: { externalTrafficPolicy: 'Local' } })
    .settle();
  assert.equal(world.condition('a/1'), 'True Allocated: 172.31.0.1 from pool default');
  assert.equal(world.annotation('a/1', 'allocated-prefixes'), '172.31.0.1/32');
});
