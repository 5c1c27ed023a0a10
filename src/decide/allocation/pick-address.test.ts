import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const reserving = (reserveFor: string, releaseCooldown = '0s') => ({
  local: { ...ranges('192.0.2.0/30'), reserveFor, releaseCooldown },
});

test('I15: a released address waits for a Service of the same namespace and name', () => {
  const world = new World()
    .group('default', reserving('1h'))
    .service('a/1')
    .service('a/2')
    .settle();
  world.delete('a/1').settle().service('a/3').settle();
  assert.deepEqual(world.addresses('a/3'), ['192.0.2.2'], 'others do not get it');
  world.service('a/1').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.equal(world.groupStatus('default').quarantine, undefined, 'the reservation is over');
});

test('I15: a reservation ends', () => {
  const world = new World().group('default', reserving('1h')).service('a/1').settle();
  world.delete('a/1').settle();
  world.now += 3_600_000;
  world.settle().service('a/2').settle();
  assert.deepEqual(world.addresses('a/2'), ['192.0.2.0']);
});

test('17.39, I15: during a cool-down a released address is nobody\u2019s', () => {
  const world = new World().group('default', reserving('0s', '5m')).service('a/1').settle();
  world.delete('a/1').settle().service('a/1').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.1']);
  assert.equal(world.plan().wakeAt, world.now + 300_000);
  world.now += 300_000;
  world.settle().service('a/2').settle();
  assert.deepEqual(world.addresses('a/2'), ['192.0.2.0']);
});

test('a status that someone emptied is filled again with what was there', () => {
  const world = new World()
    .group('default', ['192.0.2.0/28'])
    .service('a/1')
    .service('a/2')
    .settle();
  world.delete('a/1').settle();
  const object = world.services.get('a/2');
  assert.ok(object !== undefined);
  world.services.set('a/2', { ...object, status: {} });
  assert.deepEqual(world.settle().look(), ['a/2: 192.0.2.1']);
});

test('a status that someone emptied gets another address if someone else has the old one', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1').settle();
  const object = world.services.get('a/1');
  assert.ok(object !== undefined);
  world.services.set('a/1', { ...object, status: {} });
  world.service('a/2', {
    ingress: [{ ip: '192.0.2.0' }],
    annotations: { 'allocated-by': 'PureLB' },
  });
  assert.deepEqual(world.settle().look(), ['a/1: 192.0.2.1', 'a/2: 192.0.2.0']);
});

test('17.39, K2: excluded addresses and edges are passed over', () => {
  const v4pools = [
    { pool: '192.0.2.0/28', subnet: '192.0.2.0/28', exclude: ['192.0.2.2-192.0.2.13'] },
  ];
  const world = new World().group('default', { local: { v4pools, avoidEdges: true } });
  for (const name of '123') world.service(`a/${name}`);
  world.settle();
  assert.deepEqual(world.look().slice(0, 2), ['a/1: 192.0.2.1', 'a/2: 192.0.2.14']);
  assert.match(world.look()[2] ?? '', /exhausted/);
  assert.equal(world.groupStatus('default').availableIPv4, 0);
});

test('decision 15: the network address of a CIDR is given out, and host bits are the start', () => {
  const world = new World()
    .group('six', ['fc00:370:155:0:8000::/126 in fc00:370:155::/64'])
    .group('bits', ['192.0.2.5/24'])
    .service('a/1', { families: ['IPv6'], annotations: { 'service-group': 'six' } })
    .service('a/2', { annotations: { 'service-group': 'bits' } })
    .settle();
  assert.deepEqual(world.look(), ['a/1: fc00:370:155:0:8000::', 'a/2: 192.0.2.5']);
});

test('17.9: a full or keyed IPv6 /64 is decided on at once', () => {
  const local = {
    v6pools: [
      {
        pool: '2001:db8::/64',
        subnet: '2001:db8::/64',
        exclude: ['2001:db8::1-2001:db8::ffff:ffff:ffff:ffff'],
      },
    ],
  };
  const text = { families: ['IPv6'], annotations: { 'allow-shared-ip': 'k' } } as const;
  const world = new World().group('default', { local }).service('a/1', text).service('a/2', text);
  world.service('a/3', { families: ['IPv6'] }).settle();
  assert.deepEqual(world.look(), [
    'a/1: 2001:db8::',
    'a/2: PortConflict, port TCP/80 on "2001:db8::" is already in use by a/1',
    'a/3: Exhausted, pool "default" exhausted: no available addresses for a/3',
  ]);
});

test('which family is used up is said where it matters', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30', '2001:db8::/128'])
    .service('a/1', { families: ['IPv6'] })
    .service('a/2', { families: ['IPv4', 'IPv6'] })
    .settle();
  assert.match(world.look()[1] ?? '', /no available addresses for a\/2 \(IPv6\)$/);
});
