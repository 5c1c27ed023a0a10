import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTimestamp } from '../../model/timestamp.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const mac = '02:00:5e:10:00:01';

function lan(...texts: readonly string[]): World {
  const world = new World().group('default', texts.length > 0 ? texts : ['192.0.2.0/24']);
  return world.service('a/1').settle();
}

test('F11: an address that someone else uses is quarantined, and the Service gets another', () => {
  const world = lan();
  world.takeEvents();
  world.report('192.0.2.0').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.1']);
  assert.deepEqual(world.groupStatus('default').quarantine, [
    {
      address: '192.0.2.0',
      until: '2026-01-01T01:00:00Z',
      reason: 'Conflict',
      mac,
      node: 'node1',
      service: 'a/1',
    },
  ]);
  assert.deepEqual(world.takeEvents(), [
    'a/1 AddressAssigned: Assigned 192.0.2.1 from pool default',
    'a/1 AddressReleased: Released 192.0.2.0: someone else on the network uses it',
  ]);
  world.service('a/2').settle();
  assert.deepEqual(world.addresses('a/2'), ['192.0.2.2'], 'nobody gets it meanwhile');
  world.now += 3_600_000;
  assert.equal(world.settle().groupStatus('default').quarantine, undefined);
});

test('F11: an address that is asked for by name stays, and why is said', () => {
  const world = new World()
    .group('default', ['192.0.2.0/24'])
    .service('a/1', { annotations: { addresses: '192.0.2.7' } })
    .settle();
  world.report('192.0.2.7').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.7']);
  assert.equal(
    world.condition('a/1'),
    'True AddressConflict: 192.0.2.7 from pool default; someone else on the network uses 192.0.2.7; it stays because the Service asks for it',
  );
});

test('F11: an address that clients know is defended, not changed', () => {
  const world = lan();
  world.edit('a/1', { annotations: { 'announcing-IPv4': 'node2,eth0,192.0.2.0' } });
  world.report('192.0.2.0').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.match(world.condition('a/1') ?? '', /it stays because it is in use$/);
  assert.equal(world.groupStatus('default').quarantine?.length, 1);
});

test('F11: Services that share an address leave it together', () => {
  const share = (port: string) => ({ ports: [port], annotations: { 'allow-shared-ip': 'k' } });
  const world = new World()
    .group('default', ['192.0.2.0/24'])
    .service('a/1', share('TCP/1'))
    .service('a/2', share('TCP/2'))
    .settle();
  world.report('192.0.2.0').settle();
  assert.deepEqual(world.look(), ['a/1: 192.0.2.1', 'a/2: 192.0.2.1']);
});

test('F11: if one of those who share asks for it by name, all stay', () => {
  const share = (port: string, more = {}) => ({
    ports: [port],
    annotations: { 'allow-shared-ip': 'k', ...more },
  });
  const world = new World()
    .group('default', ['192.0.2.0/24'])
    .service('a/1', share('TCP/1'))
    .service('a/2', share('TCP/2', { addresses: '192.0.2.0' }))
    .settle();
  world.report('192.0.2.0').settle();
  assert.deepEqual(world.look(), ['a/1: 192.0.2.0', 'a/2: 192.0.2.0']);
});

test('F11: a Service is moved three times at most while that is remembered', () => {
  const world = lan();
  for (let count = 0; count < 5; count++) {
    const [ip = ''] = world.addresses('a/1');
    world.report(ip).settle();
    world.now += 1000;
  }
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.3']);
  assert.match(world.condition('a/1') ?? '', /the Service was moved 3 times already$/);
});

test('F11: one in ten addresses of a pool is left within an hour, and no more', () => {
  const world = new World().group('default', ['192.0.2.0-192.0.2.19']);
  for (const name of '12345') world.service(`a/${name}`);
  world.settle();
  for (const name of '12345') {
    world.report(world.addresses(`a/${name}`)[0] ?? '');
  }
  world.settle();
  assert.deepEqual(
    world.look().map((line) => line.slice(5)),
    ['192.0.2.5', '192.0.2.6', '192.0.2.2', '192.0.2.3', '192.0.2.4'],
  );
  assert.match(world.condition('a/5') ?? '', /2 addresses of the pool were left within an hour/);
});

test('F11: the limit of the hour holds though the quarantine is shorter', () => {
  const world = new World()
    .group('default', { local: ranges('192.0.2.0-192.0.2.9'), conflictCheck: { quarantine: '1m' } })
    .service('a/1')
    .service('a/2')
    .settle();
  world.report('192.0.2.0').settle();
  world.now += 120_000;
  world.settle().service('a/3').settle();
  assert.deepEqual(world.addresses('a/3'), ['192.0.2.0'], 'the address itself is free again');
  world.report('192.0.2.1').settle();
  assert.deepEqual(world.addresses('a/2'), ['192.0.2.1']);
  assert.match(world.condition('a/2') ?? '', /left within an hour already$/);
});

test('F11: where there is no other address the one there is stays', () => {
  const world = lan('192.0.2.0/32');
  world.report('192.0.2.0').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
});

test('F11: a family is not given up for lack of another address, though the other family is there', () => {
  const world = new World()
    .group('default', ['192.0.2.0/32', '2001:db8::/120'])
    .service('a/1', { families: ['IPv4', 'IPv6'], policy: 'PreferDualStack' })
    .settle();
  world.report('192.0.2.0').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0', '2001:db8::']);
});

test('F11: one range of a multi-pool Service is replaced in that range', () => {
  const world = new World()
    .group('default', { remote: { ...ranges('192.0.2.0/28', '198.51.100.0/28'), multiPool: true } })
    .service('a/1')
    .settle();
  world.report('192.0.2.0').settle();
  assert.deepEqual(new Set(world.addresses('a/1')), new Set(['192.0.2.1', '198.51.100.0']));
});

test('a report about an address that nobody has, or that is old, changes nothing', () => {
  const world = lan().report('192.0.2.9').settle();
  world.report('192.0.2.0');
  world.now += 7_200_000;
  world.settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.equal(world.groupStatus('default').quarantine, undefined);
});

test('a report from a clock that runs ahead does not quarantine for longer', () => {
  const world = lan();
  world.now -= 30_000;
  const until = formatTimestamp(world.now + 3_600_000);
  world.report('192.0.2.0', { seenAt: world.now + 30_000 }).settle();
  const [entry] = (world.groupStatus('default').quarantine ?? []) as { until: string }[];
  assert.equal(entry?.until, until);
});

test('trust: a report that its owner writes on a Service is not believed, however often', () => {
  const world = new World().group('default', ['192.0.2.0/28']);
  for (let round = 0; round < 15; round += 1) {
    world.service('b/thief').settle();
    const conflict = `${world.addresses('b/thief')[0]},${mac},node1,${formatTimestamp(world.now)}`;
    world.edit('b/thief', { annotations: { conflict } }).settle().delete('b/thief').settle();
  }
  assert.equal(world.groupStatus('default').quarantine, undefined);
  assert.deepEqual(world.service('a/1').settle().addresses('a/1'), ['192.0.2.0']);
});
