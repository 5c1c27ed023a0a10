import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf } from '../../model/ip.ts';
import { Places } from './place.ts';
import { ranges } from './raw-objects.fixture.ts';
import { upcomingAddresses } from './upcoming-addresses.ts';
import { World } from './world.fixture.ts';

/** As an agent sees it: from the statuses alone. */
function upcoming(world: World, count: number, family: 'ipv4' | 'ipv6' = 'ipv4') {
  const { pools, services } = world.state();
  const places = new Places(pools);
  for (const { grant } of services) {
    for (const ip of grant.ingress) {
      const { use, value } = places.find(ip);
      use?.use(value);
    }
  }
  for (const verdict of pools.verdicts) {
    for (const { ip, until } of verdict.group.status.quarantine) {
      const { use, value } = places.find(ip);
      if (until > world.now) use?.block(value);
    }
  }
  const [pool] = pools.pools;
  assert.ok(pool !== undefined);
  return upcomingAddresses(pool, places.rangesOf(pool, family), count).map(({ ip }) => ip);
}

function make(world: World, count: number, spec: object = {}): readonly string[] {
  const names = Array.from({ length: count }, (_, index) => `a/next${index}`);
  for (const name of names) world.service(name, { spec });
  world.settle();
  return names.flatMap((name) => world.addresses(name));
}

const kinds = {
  plain: {},
  balanced: { balancePools: true },
  'without edges': { avoidEdges: true },
  'with a cooldown': { releaseCooldown: '5m' },
};

for (const [kind, more] of Object.entries(kinds)) {
  test(`the next addresses of a ${kind} pool are those that Services get`, () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 11 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 6 }),
        (gone, count) => {
          const local = { ...ranges('192.0.2.0-192.0.2.9', '198.51.100.0-198.51.100.9'), ...more };
          const world = new World().group('default', { local });
          for (let index = 0; index < 12; index++) world.service(`a/${index}`);
          world.settle();
          for (const index of gone) world.delete(`a/${index}`);
          world.settle();
          const expected = upcoming(world, count);
          assert.deepEqual(make(world, count), expected.slice(0, count));
        },
      ),
      { numRuns: 30 },
    );
  });
}

test('IPv6 addresses are foreseen by the same rule', () => {
  const world = new World().group('default', ['2001:db8::10-2001:db8::1f']);
  world.service('a/1', { spec: { ipFamilies: ['IPv6'] } }).settle();
  const expected = upcoming(world, 3, 'ipv6');
  assert.deepEqual(expected, ['2001:db8::11', '2001:db8::12', '2001:db8::13'].map(ipOf));
  assert.deepEqual(make(world, 3, { ipFamilies: ['IPv6'] }), expected);
});

test('with multiPool each Service gets one of each range', () => {
  const local = { ...ranges('192.0.2.0-192.0.2.9', '198.51.100.0-198.51.100.9'), multiPool: true };
  const world = new World().group('default', { local });
  assert.deepEqual(
    upcoming(world, 4),
    ['192.0.2.0', '198.51.100.0', '192.0.2.1', '198.51.100.1'].map(ipOf),
  );
});

test('of a full pool, and of one that is not of ranges, nothing is foreseen', () => {
  const world = new World().group('default', ['192.0.2.0/31']);
  make(world, 2);
  assert.deepEqual(upcoming(world, 5), []);
});
