import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupFinalizer } from '../../model/well-known-names.ts';
import { planPolicyPatch, planServicePatch } from './plan-service-patch.ts';
import type { ServiceText } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

/** The first patch that the allocator makes for a Service. */
function patchFor(text: ServiceText, prepare: (world: World) => unknown = () => {}) {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1', text);
  prepare(world);
  const object = world.services.get('a/1');
  const decision = world.decision('a/1');
  assert.ok(object !== undefined && decision.kind !== 'ignore');
  return planServicePatch(object, decision, world.now);
}

test('17.29, D 4.11: one write carries annotations, finalizer, address and condition, for this object only', () => {
  assert.deepEqual(patchFor({ finalizers: ['x/y'] }), {
    metadata: {
      uid: 'uid-2',
      resourceVersion: '1',
      annotations: {
        'purelb.io/allocated-by': 'PureLB',
        'purelb.io/allocated-from': 'default',
        'purelb.io/allocated-prefixes': '192.0.2.0/24',
        'purelb.io/pool-type': 'local',
      },
      finalizers: ['x/y', cleanupFinalizer],
    },
    status: {
      conditions: [
        {
          type: 'Allocated',
          status: 'True',
          reason: 'Allocated',
          message: '192.0.2.0 from pool default',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
      loadBalancer: { ingress: [{ ip: '192.0.2.0', ipMode: 'VIP' }] },
    },
  });
});

test('17.11: what is as it should be is not written, annotations or none', () => {
  const world = new World()
    .group('default', ['192.0.2.0/32'])
    .service('a/1')
    .service('a/2')
    .settle();
  for (const [key, object] of world.services) {
    const decision = world.decision(key);
    assert.ok(decision.kind !== 'ignore');
    assert.equal(planServicePatch(object, decision, world.now + 9999), undefined);
  }
});

test('an API server that leaves out ipMode is not written to for ever', () => {
  const world = new World().group('default', ['2001:db8::/64']);
  world.service('a/1', { families: ['IPv6'] }).settle();
  const object = world.services.get('a/1');
  const status = {
    ...(object?.status as object),
    loadBalancer: { ingress: [{ ip: '2001:DB8::' }] },
  };
  assert.ok(object !== undefined);
  world.services.set('a/1', { ...object, status });
  const decision = world.decision('a/1');
  assert.ok(decision.kind !== 'ignore');
  assert.equal(planServicePatch({ ...object, status }, decision, world.now), undefined);
});

test('only what changes is in the patch', () => {
  const patch = patchFor({}, (world) =>
    world.settle().edit('a/1', { annotations: { 'pool-type': 'x' } }),
  );
  assert.deepEqual(patch, {
    metadata: {
      uid: 'uid-2',
      resourceVersion: '3',
      annotations: { 'purelb.io/pool-type': 'local' },
    },
  });
});

test('entries of others in the status stay behind ours, with all they have', () => {
  const hostname = { hostname: 'x.example', ports: [{ port: 80, protocol: 'TCP' }] };
  const patch = patchFor({
    annotations: { 'allocated-by': 'PureLB' },
    ingress: [hostname, { ip: '192.0.2.1', ipMode: 'Proxy' }],
  });
  assert.deepEqual(patch?.status?.loadBalancer?.ingress, [
    { ip: '192.0.2.1', ipMode: 'VIP' },
    hostname,
  ]);
});

test('the last address leaves no list behind, and our conditions go with it', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1').settle();
  world.delete('a/1');
  const object = world.services.get('a/1');
  const decision = world.decision('a/1');
  assert.ok(object !== undefined && decision.kind === 'release');
  const conditions = [{ type: 'Theirs' }, { type: 'Reachable' }, { type: 'Allocated' }];
  const status = { ...(object.status as object), conditions };
  assert.deepEqual(planServicePatch({ ...object, status }, decision, world.now)?.status, {
    conditions: [{ type: 'Theirs' }],
    loadBalancer: { ingress: null },
  });
});

test('the policy is written to the Service itself, whatever its version', () => {
  const world = new World()
    .group('default', ['192.0.2.0/30'])
    .service('a/1', { spec: { externalTrafficPolicy: 'Local' } });
  const object = world.services.get('a/1');
  const decision = world.decision('a/1');
  assert.ok(object !== undefined && decision.kind !== 'ignore');
  assert.deepEqual(planPolicyPatch(object, decision), {
    metadata: { uid: 'uid-2' },
    spec: { externalTrafficPolicy: 'Cluster' },
  });
  assert.equal(planPolicyPatch(object, { ...decision, policy: undefined }), undefined);
});

test('a status of any shape is survived', () => {
  for (const status of [
    undefined,
    null,
    7,
    { loadBalancer: 'x', conditions: {} },
    { loadBalancer: { ingress: [null, 3] } },
  ]) {
    const world = new World().group('default', ['192.0.2.0/30']).service('a/1');
    const decision = world.decision('a/1');
    const object = world.services.get('a/1');
    assert.ok(object !== undefined && decision.kind === 'assign');
    const patch = planServicePatch({ ...object, status }, decision, world.now);
    assert.deepEqual(patch?.status?.loadBalancer?.ingress?.slice(0, 1), [
      { ip: '192.0.2.0', ipMode: 'VIP' },
    ]);
  }
});
