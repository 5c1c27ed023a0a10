import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.fixture.ts';

const mac = '02:00:5e:10:00:01';

test('a free address that a host uses is not given out, and the group says so', () => {
  const world = new World().group('default', ['192.0.2.0/24', '2001:db8::/120']).settle();
  world.takeEvents();
  world.report('192.0.2.0').report('2001:db8::').service('a/1').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.1'], 'in the very plan that learns of it');
  const until = '2026-01-01T01:00:00Z';
  const entry = { until, reason: 'Conflict', mac, node: 'node1' };
  assert.deepEqual(world.groupStatus('default').quarantine, [
    { address: '192.0.2.0', ...entry },
    { address: '2001:db8::', ...entry },
  ]);
  const said = world.takeEvents().filter((event) => event.includes('AddressConflict'));
  const text = (ip: string) =>
    `default AddressConflict: ${ip} is free, but a host outside the cluster (${mac}, seen by node1) uses it: it is not given out before ${until}`;
  assert.deepEqual(said, [text('192.0.2.0'), text('2001:db8::')]);
  world.settle();
  assert.deepEqual(world.takeEvents(), [], 'it is said once');
});

test('it is given out again when the quarantine is over, unless it is reported again', () => {
  const world = new World().group('default', ['192.0.2.0/24']).report('192.0.2.0').settle();
  world.now += 3_600_000;
  world.service('a/1').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
});

test('whoever asks for it by name gets it, and is told', () => {
  const world = new World().group('default', ['192.0.2.0/24']).report('192.0.2.7').settle();
  world.service('a/1', { annotations: { addresses: '192.0.2.7' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.7']);
  assert.match(world.condition('a/1') ?? '', /AddressConflict/);
});

test('a host that answers for every address takes a twentieth of a pool per hour in advance', () => {
  const world = new World().group('default', ['192.0.2.0-192.0.2.99']).settle();
  // Each address that comes up is reported, as by an agent that looks at the next ones all the time.
  for (let minute = 0; minute < 59; minute++) {
    for (let last = 0; last < 100; last++) world.report(`192.0.2.${last}`);
    world.settle();
    world.now += 60_000;
  }
  const inAdvance = world.groupStatus('default').quarantine?.length;
  assert.equal(inAdvance, 5);
  world.conflicts.length = 0;
  world.service('a/1').settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.5'], 'the rest is given out as before');
});

test('with Services as well it is a tenth, as it was without looks in advance', () => {
  const world = new World().group('default', ['192.0.2.0-192.0.2.99']);
  for (let last = 0; last < 100; last++) world.report(`192.0.2.${last}`);
  for (let round = 0; round < 40; round++) {
    world.service(`a/${round}`).settle(50);
    for (let last = 0; last < 100; last++) world.report(`192.0.2.${last}`);
    world.settle();
  }
  const held = new Set([...world.services.keys()].flatMap((key) => world.addresses(key)));
  const { quarantine } = world.groupStatus('default') as { quarantine: { address: string }[] };
  const lost = quarantine.filter(({ address }) => !held.has(address));
  assert.ok(lost.length <= 10, `${lost.length} addresses that nobody has are kept back`);
});

test('addresses of no pool, and reports from long ago, change nothing', () => {
  const world = new World().group('default', ['192.0.2.0/24']).settle();
  world
    .report('203.0.113.1')
    .report('192.0.2.0', { seenAt: world.now - 3_600_000 })
    .settle();
  assert.equal(world.groupStatus('default').quarantine, undefined);
});
