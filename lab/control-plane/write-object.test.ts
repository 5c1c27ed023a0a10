import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from './api-client.ts';
import { endpointSlice, node, service } from './objects.ts';
import { collectionPath, createObject, deleteObject, type Send } from './write-object.ts';

test('collections are named as the API names them', () => {
  const inLab = { name: 'x', namespace: 'lab' };
  const kinds = [
    node({ name: 'node1', addresses: [] }),
    service({ name: 'web', ports: [] }),
    endpointSlice({ service: 'web', ports: [], endpoints: [] }),
    { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: inLab },
    { apiVersion: 'purelb.io/v1', kind: 'BGPNodeStatus', metadata: inLab },
  ];
  assert.deepEqual(kinds.map(collectionPath), [
    '/api/v1/nodes',
    '/api/v1/namespaces/default/services',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    '/apis/networking.k8s.io/v1/namespaces/lab/networkpolicies',
    '/apis/purelb.io/v1/namespaces/lab/bgpnodestatuses',
  ]);
});

/** Takes everything, and keeps `METHOD path` of it. */
function taker(): { readonly taken: readonly string[]; readonly send: Send } {
  const taken: string[] = [];
  const send = async ({ method, path, body }: ApiRequest) => {
    taken.push(`${method} ${path}`);
    return { status: method === 'POST' ? 201 : 200, body };
  };
  return { taken, send };
}

test('a status is written after the object that has one', async () => {
  const { taken, send } = taker();
  await createObject(send, node({ name: 'node1', addresses: ['192.0.2.11'] }));
  await createObject(send, service({ name: 'web', ports: [] }));
  await deleteObject(send, service({ name: 'web', ports: [] }));
  assert.deepEqual(taken, [
    'POST /api/v1/nodes',
    'PATCH /api/v1/nodes/node1/status',
    'POST /api/v1/namespaces/default/services',
    'DELETE /api/v1/namespaces/default/services/web',
  ]);
});

test('a refusal is thrown with what was asked and what the server said', async () => {
  const refuse =
    (body: unknown): Send =>
    async () => ({ status: 422, body });
  const web = service({ name: 'web', ports: [] });
  await assert.rejects(createObject(refuse({ message: 'spec.ports: Required' }), web), {
    message: 'POST /api/v1/namespaces/default/services: 422 spec.ports: Required',
  });
  await assert.rejects(createObject(refuse('busy'), web), { message: /: 422 "busy"$/ });
});
