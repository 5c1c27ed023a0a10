import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settleFor } from './fill-families.ts';
import { refuse } from './obstacle.ts';
import { World } from './world.fixture.ts';

const dual = ['IPv4', 'IPv6'] as const;

test('I5: RequireDualStack is all or nothing, PreferDualStack takes what there is', () => {
  const world = new World()
    .group('default', ['2001:db8::/126'])
    .service('a/requires', { families: dual, policy: 'RequireDualStack' })
    .service('a/prefers', { families: dual, policy: 'PreferDualStack' })
    .service('a/single', { families: ['IPv4'] })
    .settle();
  assert.deepEqual(world.look(), [
    'a/requires: Exhausted, pool "default" has no IPv4 addresses',
    'a/prefers: 2001:db8::',
    'a/single: Exhausted, pool "default" has no IPv4 addresses',
  ]);
});

test('I5: from Prefer to Require and back nothing that is held is lost', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', { families: dual, policy: 'PreferDualStack' })
    .settle();
  world.edit('a/1', { spec: { ipFamilyPolicy: 'RequireDualStack' } }).settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0']);
  assert.match(world.condition('a/1') ?? '', /^False Exhausted/);
  world.edit('a/1', { spec: { ipFamilyPolicy: 'PreferDualStack' } }).settle();
  assert.match(world.condition('a/1') ?? '', /^True PartiallyAllocated/);
});

test('a Service that prefers dual-stack but gets nothing is refused', () => {
  const [service] = new World()
    .service('a/1', { families: dual, policy: 'PreferDualStack' })
    .state().services;
  assert.ok(service !== undefined);
  const missing = [refuse('exhausted', 'none'), refuse('exhausted', 'none either')];
  assert.equal(settleFor(service, { additions: [], missing }, []), missing[0]);
});

test('I7: node ports are none of our business', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30', '2001:db8::/126'])
    .service('a/1', { families: dual, spec: { allocateLoadBalancerNodePorts: false } })
    .settle();
  assert.deepEqual(world.addresses('a/1'), ['192.0.2.0', '2001:db8::']);
  const spec = world.services.get('a/1')?.spec;
  assert.deepEqual(
    { ...(spec as object) },
    {
      type: 'LoadBalancer',
      clusterIP: '10.96.0.9',
      ipFamilies: dual,
      ipFamilyPolicy: 'RequireDualStack',
      ports: [{ protocol: 'TCP', port: 80 }],
      allocateLoadBalancerNodePorts: false,
    },
  );
});
