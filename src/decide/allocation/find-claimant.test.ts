import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareRight, findClaimant } from './find-claimant.ts';
import { Places } from './place.ts';
import { World } from './world.fixture.ts';

function claimantsOf(world: World) {
  const { services, settings, pools } = world.state();
  const places = new Places(pools);
  return services
    .toReversed()
    .map((service) => findClaimant(service, settings, places))
    .sort(compareRight);
}

const ours = { 'allocated-by': 'PureLB' };

test('who holds comes before who does not, brand before none, others before all, then the oldest', () => {
  const world = new World()
    .group('default', ['192.0.2.0/28'])
    .service('a/new')
    .service('a/unbranded', { ingress: [{ ip: '192.0.2.2' }] })
    .service('a/young', { annotations: ours, ingress: [{ ip: '192.0.2.3' }] })
    .service('a/younger', { annotations: ours, ingress: [{ ip: '192.0.2.1' }] })
    .service('a/foreign', { ingress: [{ ip: '203.0.113.1' }] })
    .service('a/newer');
  assert.deepEqual(
    claimantsOf(world).map(({ service }) => service.key),
    ['a/foreign', 'a/young', 'a/younger', 'a/unbranded', 'a/new', 'a/newer'],
  );
});

test('Services of the same second are sorted by name', () => {
  const world = new World().service('b/1').service('a/2').service('a/1');
  for (const [key, object] of world.services) {
    const metadata = { ...object.metadata, creationTimestamp: '2026-01-01T00:00:00Z' };
    world.services.set(key, { ...object, metadata });
  }
  assert.deepEqual(
    claimantsOf(world).map(({ service }) => service.key),
    ['a/1', 'a/2', 'b/1'],
  );
});

test('an address that stands there twice is held once', () => {
  const ingress = [{ ip: '192.0.2.1' }, { ip: '192.0.2.1' }];
  const world = new World().group('default', ['192.0.2.0/28']);
  world.service('a/1', { annotations: ours, ingress });
  assert.deepEqual(
    claimantsOf(world).flatMap(({ held }) => held.map(({ ip, pool }) => [ip, pool?.name])),
    [['192.0.2.1', 'default']],
  );
});

test('17.17: what the API server took out of the status is still known to be held until released', () => {
  const world = new World().group('default', ['192.0.2.0/28']).service('a/1').settle();
  world.changeType('a/1', 'ClusterIP');
  const [claimant] = claimantsOf(world);
  assert.deepEqual(
    [claimant?.fate.kind, claimant?.held.map(({ ip }) => ip)],
    ['release', ['192.0.2.0']],
  );
});
