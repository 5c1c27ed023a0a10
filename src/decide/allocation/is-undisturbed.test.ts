import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLasting } from './is-undisturbed.ts';
import { Places } from './place.ts';
import type { ServiceText } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

function lasting(text: ServiceText, change: (world: World) => unknown = () => {}): boolean {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1', text).settle();
  change(world);
  const { services, pools } = world.state();
  const [service] = services;
  const decision = world.decision('a/1');
  assert.ok(service !== undefined && decision.kind !== 'ignore');
  const places = new Places(pools);
  const held = service.grant.ingress.map((ip) => places.findHeld(ip, service));
  return isLasting({ service, fate: { kind: 'serve' }, held, rank: 1 }, decision);
}

test('a decision lasts if nothing but the Service and its pool is in it', () => {
  assert.equal(lasting({}), true);
  assert.equal(lasting({ annotations: { 'service-group': 'default' } }), true);
  assert.equal(lasting({ annotations: { 'allow-shared-ip': 'k' } }), false);
  assert.equal(lasting({ annotations: { addresses: '192.0.2.3' } }), false);
  assert.equal(lasting({ annotations: { 'multi-pool': 'true' } }), false);
  assert.equal(
    lasting({ annotations: { 'allow-local': '' }, spec: { externalTrafficPolicy: 'Local' } }),
    false,
  );
  assert.equal(lasting({ families: ['IPv6'] }), false);
});

test('a decision with something to write, or about an address of no pool, does not last', () => {
  assert.equal(
    lasting({}, (world) => world.edit('a/1', { annotations: { 'pool-type': 'x' } })),
    false,
  );
  assert.equal(
    lasting({}, (world) => void world.groups.clear()),
    false,
  );
});
