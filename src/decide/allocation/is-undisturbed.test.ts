import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findClaimant } from './find-claimant.ts';
import { isLasting } from './is-undisturbed.ts';
import { Places } from './place.ts';
import { ranges, type ServiceText } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

function lasting(
  text: ServiceText,
  change: (world: World) => unknown = () => {},
  group: object | readonly string[] = ['192.0.2.0/28'],
): boolean {
  const world = new World().group('default', group).service('a/1', text).settle();
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

test('a decision about externalTrafficPolicy Local lasts where neither nodes nor reverts matter', () => {
  const spec = { externalTrafficPolicy: 'Local' };
  const allowed = { annotations: { 'allow-local': '' }, spec };
  const lan = ranges('192.0.2.0/28');
  const none = () => {};
  assert.equal(lasting({ spec }, none, { remote: lan }), true);
  assert.equal(lasting(allowed, none, { local: lan }), true);
  assert.equal(lasting(allowed, none, { announce: 'auto', local: lan }), false);
  const setBack = (world: World) => {
    world.policyRewrites.set('a/1', { setbacks: 3, refusal: undefined, isUntold: false });
    world.edit('a/1', { spec }).settle();
  };
  assert.equal(lasting({ spec }, setBack, { local: lan }), false);
});

test('that a Service is none of our business lasts', () => {
  const world = new World().service('a/1', { class: 'example.com/lb' });
  const { services, settings, pools } = world.state();
  const [service] = services;
  assert.ok(service !== undefined);
  const claimant = findClaimant(service, settings, new Places(pools));
  assert.equal(isLasting(claimant, world.decision('a/1')), true);
});
