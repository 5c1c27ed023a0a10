import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { Places } from './place.ts';
import { RangeHomes } from './range-homes.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

function homeOf(ip: string, subnets: readonly string[] | undefined) {
  const world = new World()
    .group('lan', ['192.0.2.64/26', '2001:db8:1::/64'])
    .group('far', { remote: ranges('203.0.113.0/28') });
  world.subnets = subnets;
  const state = world.state();
  const range = new Places(state.pools).find(ipOf(ip)).use;
  assert.ok(range !== undefined);
  const homes = new RangeHomes(state.subnets);
  assert.equal(homes.find(range), homes.find(range));
  return homes.find(range);
}

test('a range has nodes if subnets of nodes contain all of it', () => {
  assert.equal(homeOf('192.0.2.64', ['192.0.2.0/24']), 'now');
  assert.equal(homeOf('192.0.2.64', ['192.0.2.64/27', '192.0.2.96/27']), 'now');
  assert.equal(homeOf('192.0.2.64', ['192.0.2.64/27']), 'none');
  assert.equal(homeOf('192.0.2.64', ['!192.0.2.0/24']), 'lately');
  assert.equal(homeOf('192.0.2.64', ['!192.0.2.0/24', '192.0.0.0/16']), 'now');
  assert.equal(homeOf('192.0.2.64', undefined), 'unknown');
  assert.equal(homeOf('2001:db8:1::', ['2001:DB8:1:0::/64']), 'now');
});

test('addresses that need no link of a node are at home everywhere', () => {
  assert.equal(homeOf('203.0.113.0', undefined), 'now');
  assert.equal(homeOf('203.0.113.0', []), 'now');
});
