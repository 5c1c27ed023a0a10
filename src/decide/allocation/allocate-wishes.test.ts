/** Addresses asked for by name: what upstream's tests assert (specification 16.3), and what ours adds. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.fixture.ts';

const dual = ['IPv4', 'IPv6'] as const;
const pin = (addresses: string, more: Readonly<Record<string, string>> = {}) => ({
  annotations: { addresses, ...more },
});

/** The pools of upstream's scripts: four addresses of each family. */
function pools(): World {
  return new World()
    .group('one', ['192.0.2.0/30', '2001:db8:1::/126'])
    .group('two', ['198.51.100.0/30', '2001:db8:2::/126']);
}

for (const [family, first, second] of [
  ['IPv4', '192.0.2.0', '192.0.2.1'],
  ['IPv6', '2001:db8:1::', '2001:db8:1::1'],
] as const) {
  const text = (ports: readonly string[], annotations: Readonly<Record<string, string>>) => ({
    families: [family],
    ports,
    annotations,
  });
  test(`16.36: addresses asked for by name, ${family}`, () => {
    const world = pools()
      .service('a/1', text(['TCP/80'], { addresses: first }))
      .service('a/2', text(['TCP/80'], { addresses: first }))
      .service('a/3', text(['TCP/80'], { addresses: second }))
      .settle();
    assert.deepEqual(world.look(), [
      `a/1: ${first}`,
      `a/2: Refused, address ${first} is in use by a/1`,
      `a/3: ${second}`,
    ]);
    world.delete('a/1').settle();
    assert.deepEqual(world.addresses('a/2'), [first], 'a released address can be taken');
    world.edit('a/2', { annotations: { 'allow-shared-ip': 'k' } }).settle();
    world.service('a/4', text(['TCP/80'], { addresses: first, 'allow-shared-ip': 'k' })).settle();
    world.service('a/5', text(['TCP/81'], { addresses: first, 'allow-shared-ip': 'x' })).settle();
    world.service('a/6', text(['TCP/82'], { addresses: first, 'allow-shared-ip': 'k' })).settle();
    assert.deepEqual(world.look().slice(2), [
      `a/4: PortConflict, port TCP/80 on "${first}" is already in use by a/2`,
      `a/5: SharingKeyConflict, address ${first} is in use by a/2, not under the sharing key "x"`,
      `a/6: ${first}`,
    ]);
    world.edit('a/6', { spec: { ports: [{ protocol: 'TCP', port: 83 }] } }).settle();
    assert.match(world.condition('a/6') ?? '', /^True Allocated/, 'ports change while sharing');
    world.edit('a/6', { annotations: { 'allow-shared-ip': 'y' } }).settle();
    assert.match(world.condition('a/6') ?? '', /^False SharingKeyConflict/);
    const away = second.replace(/1$/, '2');
    world.edit('a/6', { annotations: { addresses: away, 're-evaluate': 'true' } }).settle();
    assert.deepEqual([world.addresses('a/6'), world.addresses('a/2')], [[away], [first]]);
  });
}

test('16.40: an address outside every pool is refused, inside one it is given whatever the group', () => {
  const world = pools()
    .service('a/1', pin('203.0.113.9'))
    .service('a/2', pin('198.51.100.2', { 'service-group': 'one' }))
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: UnknownPool, "203.0.113.9" does not belong to any group',
    'a/2: 198.51.100.2',
  ]);
  assert.equal(world.annotation('a/2', 'allocated-from'), 'two');
  assert.ok(
    world
      .takeEvents()
      .includes(
        'a/2 ConfigurationWarning: Both the addresses annotation and the service-group annotation were provided. service-group will be ignored.',
      ),
  );
});

test('16.43: loadBalancerIP is a wish too, but the annotation wins; two addresses keep their order', () => {
  const world = pools()
    .service('a/1', { spec: { loadBalancerIP: '192.0.2.3' } })
    .service('a/2', { ...pin('192.0.2.2'), spec: { loadBalancerIP: '192.0.2.1' } })
    .service('a/3', { ...pin('2001:db8:2::1, 198.51.100.1'), families: dual })
    .settle();
  assert.deepEqual(world.look(), [
    'a/1: 192.0.2.3',
    'a/2: 192.0.2.2',
    'a/3: 2001:db8:2::1, 198.51.100.1',
  ]);
  const warnings = world.takeEvents().filter((event) => event.includes('DeprecationWarning'));
  assert.deepEqual(warnings, [
    'a/1 DeprecationWarning: Service.Spec.LoadBalancerIP is deprecated, please use the "purelb.io/addresses" annotation instead',
  ]);
});
