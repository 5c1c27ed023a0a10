import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const withoutConditions = (world: World, name: string) => {
  const { conditions: _, ...status } = world.groupStatus(name);
  return status;
};

test('I10: a group says how it stands, its ranges as they were written', () => {
  const world = new World()
    .group('default', {
      local: {
        v4pool: { pool: '192.0.2.9 - 192.0.2.10', subnet: '192.0.2.0/24' },
        ...ranges('192.0.2.0/30', '2001:DB8::/126'),
      },
      namespaces: ['b', 'a', 'b'],
    })
    .service('a/1', { families: ['IPv4', 'IPv6'] })
    .settle();
  assert.deepEqual(withoutConditions(world, 'default'), {
    announce: 'Local',
    ipam: 'Cluster',
    addresses: ['192.0.2.0/30', '192.0.2.9 - 192.0.2.10', '2001:DB8::/126'],
    allocatedIPv4: 1,
    allocatedIPv6: 1,
    availableIPv4: 5,
    availableIPv6: 3,
    boundNamespaces: ['b', 'a', 'b'],
    observedGeneration: 1,
    subnets: [
      { subnet: '192.0.2.0/24', prefixLength: 24 },
      { subnet: '2001:db8::/32', prefixLength: 32 },
    ],
  });
});

test('17.14: more addresses than an int64 counts are as many as it can, and survive JSON', () => {
  const world = new World().group('default', ['2001:db8::/48 in 2001:db8::/48']).settle();
  const { availableIPv6 = 0 } = world.groupStatus('default');
  const text = JSON.stringify(availableIPv6);
  assert.match(text, /^\d+$/);
  assert.ok(BigInt(text) < 2n ** 63n && BigInt(text) > 2n ** 63n - 2000n);
});

test('16.51: remote, automatic and other sources are named as such', () => {
  const world = new World()
    .group('a', { remote: ranges('203.0.113.0/28') })
    .group('b', { announce: 'auto', local: ranges('192.0.2.0/28') })
    .group('c', { external: { provider: 'acme', announce: 'local' } })
    .group('d', {
      netbox: {
        url: 'https://netbox.example',
        prefixes: ['10.0.0.0/8'],
        ranges: ['10.0.0.1-10.0.0.9'],
      },
    })
    .settle();
  const brief = ['a', 'b', 'c', 'd'].map((name) => {
    const { announce, ipam, addresses, availableIPv4 } = { ...withoutConditions(world, name) } as {
      [name: string]: unknown;
    };
    return [announce, ipam, addresses, availableIPv4];
  });
  assert.deepEqual(brief, [
    ['Remote', 'Cluster', ['203.0.113.0/28'], 16],
    ['Auto', 'Cluster', ['192.0.2.0/28'], 16],
    ['Local', 'acme', [], undefined],
    ['Auto', 'Netbox', ['10.0.0.0/8', '10.0.0.1-10.0.0.9'], undefined],
  ]);
});

test('16.52, 16.53: what is written is not written again, and an edit of namespaces alone is', () => {
  const world = new World().group('default', ['192.0.2.0/28']).settle();
  const before = structuredClone(world.groups);
  world.now += 60_000;
  world.settle();
  assert.deepEqual(world.groups, before);
  world.editGroup('default', { local: ranges('192.0.2.0/28'), namespaces: ['a'] }).settle();
  assert.deepEqual(
    { ...withoutConditions(world, 'default') },
    {
      announce: 'Local',
      ipam: 'Cluster',
      addresses: ['192.0.2.0/28'],
      allocatedIPv4: 0,
      allocatedIPv6: 0,
      availableIPv4: 16,
      availableIPv6: 0,
      boundNamespaces: ['a'],
      observedGeneration: 2,
      subnets: [{ subnet: '192.0.2.0/24', prefixLength: 24 }],
    },
  );
});

test('17.43: a group that is refused says so, and keeps what is in quarantine and on record', () => {
  const world = new World()
    .group('default', { local: { ...ranges('192.0.2.0/28'), releaseCooldown: '1h' } })
    .service('a/1')
    .settle();
  world.delete('a/1').settle().editGroup('default', ['192.0.2.9-192.0.2.1']).settle();
  const status = withoutConditions(world, 'default');
  assert.deepEqual(Object.keys(status).sort(), ['observedGeneration', 'quarantine', 'subnets']);
  const { conditions = [] } = world.groupStatus('default');
  assert.deepEqual(
    conditions.map(({ type, status: state }) => `${type} ${state}`),
    ['Ready False', 'Parsed False', 'Overlap Unknown', 'OutOfScope False'],
  );
});

test('a status of any shape is survived', () => {
  for (const status of [undefined, null, 7, { conditions: 'x', quarantine: 3 }]) {
    const world = new World().group('default', ['192.0.2.0/28']);
    const object = world.groups.get('purelb-system/default');
    assert.ok(object !== undefined);
    world.groups.set('purelb-system/default', { ...object, status });
    assert.equal(world.settle().groupStatus('default').availableIPv4, 16);
  }
});
