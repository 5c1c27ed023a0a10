import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { Places, placeIn } from './place.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const world = new World()
  .group('lan', ['192.0.2.0/28', '2001:db8::/64 in 2001:db8::/64'])
  .group('far', {
    remote: { v4pools: [{ pool: '203.0.113.0/28', subnet: '203.0.113.0/24', aggregation: '/32' }] },
  })
  .group('auto', { announce: 'auto', local: ranges('198.51.100.0/28') })
  .group('box', { netbox: { url: 'https://netbox.example', tenant: 't' } });
const places = new Places(world.state().pools);

test('16.60: an address belongs to the pool whose range has it, or to none', () => {
  const find = (text: string) => {
    const { pool, prefixLength, family } = places.find(ipOf(text));
    return [pool?.name, prefixLength, family];
  };
  assert.deepEqual(find('192.0.2.15'), ['lan', 24, 'ipv4']);
  assert.deepEqual(find('2001:db8::7'), ['lan', 64, 'ipv6']);
  assert.deepEqual(find('203.0.113.1'), ['far', 32, 'ipv4']);
  assert.deepEqual(find('198.51.100.1'), ['auto', 24, 'ipv4']);
  assert.deepEqual(find('192.0.2.16'), [undefined, undefined, 'ipv4']);
});

test('decision 9: an address outside every range is from the pool that the Service names, as recorded', () => {
  const held = (annotations: Readonly<Record<string, string>>, ...subnets: readonly string[]) => {
    const [service] = new World().service('a/1', { annotations }).state().services;
    assert.ok(service !== undefined);
    const recorded = subnets.map((text) => ({ subnet: prefixOf(text), prefixLength: 20 }));
    const knowing = new Places({ ...world.state().pools, recorded: new Map([['box', recorded]]) });
    const { pool, prefixLength } = knowing.findHeld(ipOf('10.9.9.9'), service);
    return [pool?.name, prefixLength];
  };
  assert.deepEqual(held({}), [undefined, undefined]);
  const written = { 'allocated-from': 'lan, box', 'allocated-prefixes': '10.9.9.9/2' };
  assert.deepEqual(held(written, '10.9.0.0/20'), ['box', 20]);
  assert.deepEqual(held(written), ['box', 32], 'trust: what stands on the Service is not believed');
  assert.deepEqual(held({ 'allocated-from': 'lan' }, '10.9.0.0/20'), [undefined, undefined]);
});

test('ranges of a pool are those of the family, in declared order', () => {
  const { pools } = world.state();
  const lan = pools.byName.get('lan');
  const box = pools.byName.get('box');
  assert.ok(lan !== undefined && box !== undefined);
  const own = new Places(pools);
  const texts = (['ipv4', 'ipv6'] as const).map((family) =>
    own.rangesOf(lan, family).map(({ at }) => at.text),
  );
  assert.deepEqual(texts, [['192.0.2.0/28'], ['2001:db8::/64']]);
  assert.deepEqual(own.rangesOf(box, 'ipv4'), []);
  const [range] = own.rangesOf(lan, 'ipv4');
  assert.ok(range !== undefined);
  assert.equal(placeIn(range, range.at.range.first + 3n).ip, '192.0.2.3');
});
