import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiVersionOf, collectionPath, keyOf, objectPath, refOf } from './resource.ts';
import { bgpNodeStatuses, leases, nodes, serviceGroups, services } from './resources.ts';

test('paths follow group, version, namespace, name and subresource', () => {
  assert.deepEqual(
    [
      collectionPath(services),
      collectionPath(services, 'web'),
      collectionPath(serviceGroups, 'purelb-system'),
      objectPath(services, { namespace: 'web', name: 'shop' }, 'status'),
      objectPath(leases, { namespace: 'purelb-system', name: 'purelb-node-a/b' }),
      objectPath(nodes, { name: 'node1' }),
      objectPath(bgpNodeStatuses, { name: 'node1' }, 'status'),
    ],
    [
      '/api/v1/services',
      '/api/v1/namespaces/web/services',
      '/apis/purelb.io/v2/namespaces/purelb-system/servicegroups',
      '/api/v1/namespaces/web/services/shop/status',
      '/apis/coordination.k8s.io/v1/namespaces/purelb-system/leases/purelb-node-a%2Fb',
      '/api/v1/nodes/node1',
      '/apis/bgp.purelb.io/v1/bgpnodestatuses/node1/status',
    ],
  );
});

test('a path that would mean another object is refused instead of sent', () => {
  assert.throws(() => objectPath(services, { name: 'shop' }), /without its namespace/);
  assert.throws(() => objectPath(services, { namespace: 'web', name: '' }), /without its name/);
  assert.throws(() => objectPath(nodes, { namespace: 'web', name: 'n' }), /have no namespace/);
});

test('a key is the name with its namespace, if there is one', () => {
  assert.equal(keyOf({ namespace: 'web', name: 'shop' }), 'web/shop');
  assert.equal(keyOf(refOf({ metadata: { name: 'node1' } })), 'node1');
});

test('apiVersion leaves out the core group', () => {
  assert.deepEqual([services, serviceGroups].map(apiVersionOf), ['v1', 'purelb.io/v2']);
});
