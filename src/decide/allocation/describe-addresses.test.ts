import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { describeGivenUp, listAddresses } from './describe-addresses.ts';
import { Places } from './place.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

test('decision 13: an assignment names the addresses and the pool', () => {
  const remote = {
    v4pools: [
      { pool: '172.32.100.225-172.32.100.229', subnet: '172.32.100.0/24', aggregation: '/32' },
    ],
    v6pools: [
      { pool: 'fc00:370:155:0:8000::/126', subnet: 'fc00:370:155::/64', aggregation: '/128' },
    ],
  };
  const world = new World()
    .group('remotedual', { remote })
    .service('a/1', { families: ['IPv4', 'IPv6'], annotations: { 'service-group': 'remotedual' } })
    .settle();
  assert.deepEqual(world.takeEvents().slice(1), [
    'a/1 AddressAssigned: Assigned 172.32.100.225, fc00:370:155:0:8000:: from pool remotedual',
  ]);
  assert.equal(
    world.annotation('a/1', 'allocated-prefixes'),
    '172.32.100.225/32,fc00:370:155:0:8000::/128',
  );
});

test('multi-pool is said as upstream says it, with the addresses', () => {
  const world = new World()
    .group('default', { remote: { ...ranges('192.0.2.0/30', '198.51.100.0/30'), multiPool: true } })
    .service('a/1')
    .settle();
  assert.deepEqual(world.takeEvents().slice(1), [
    'a/1 AddressAssigned: Multi-pool: assigned 2 IPs from pool default: 192.0.2.0, 198.51.100.0',
  ]);
});

test('what is given up is said by its cause, each cause once', () => {
  const places = new Places(new World().state().pools);
  const [first, second, third] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((ip) =>
    places.find(ipOf(ip)),
  );
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  assert.equal(listAddresses([first, second]), '192.0.2.1, 192.0.2.2');
  const said = describeGivenUp([
    { place: first, cause: 'family' },
    { place: second, cause: 'surplus' },
    { place: third, cause: 'family' },
  ]).map(({ message }) => message);
  assert.deepEqual(said, [
    'Released addresses no longer needed after IP family transition: [192.0.2.1 192.0.2.3]',
    'Released 192.0.2.2: multi-pool allocation is not asked for',
  ]);
  const others = (['subnet', 'conflict', 'converged'] as const).map(
    (cause) => describeGivenUp([{ place: first, cause }])[0]?.message,
  );
  assert.deepEqual(others, [
    'Released 192.0.2.1: no node is on its subnet any more',
    'Released 192.0.2.1: someone else on the network uses it',
    'Released 192.0.2.1 on re-evaluation',
  ]);
});
