import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceText } from './raw-objects.fixture.ts';
import { isSharedOwner, slotKey, slotOwner } from './source-slots.ts';
import { World } from './world.fixture.ts';

function ownerOf(text: ServiceText, sharingScope = 'Cluster'): string {
  const world = new World()
    .group('ext', { sharingScope, external: { provider: 'acme' } })
    .service('a/1', text);
  const { services, pools } = world.state();
  const [service, pool] = [services[0], pools.byName.get('ext')];
  assert.ok(service !== undefined && pool !== undefined);
  return slotOwner(service, pool);
}

test('a Service has a slot of its own, or that of its sharing key in its scope', () => {
  const shared = { annotations: { 'allow-shared-ip': 'k' } };
  assert.deepEqual(
    [ownerOf({}), ownerOf(shared), ownerOf(shared, 'Namespace')],
    ['uid-2', 'share::k', 'share:a:k'],
  );
  assert.deepEqual([isSharedOwner('uid-2'), isSharedOwner('share::k')], [false, true]);
  assert.notEqual(slotKey('uid-2', 'ipv4'), slotKey('uid-2', 'ipv6'));
});
