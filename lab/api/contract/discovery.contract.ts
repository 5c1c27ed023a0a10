import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Json, type JsonObject, listAt, textAt } from '../json.ts';
import type { World } from './contract-world.ts';
import { at } from './look.ts';

/** What clients ask before they ask for objects. */
export function discoveryContract(world: World): void {
  test('it is well and says which version it is', async () => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      assert.equal((await world.admin.get(path)).body, 'ok', path);
    }
    const { body } = await world.admin.get('/version');
    assert.equal(at(body, 'major'), '1');
    assert.match(textAt(body, 'gitVersion'), /^v1\.\d+\.\d+/);
  });

  test('groups and versions', async () => {
    const { body: core } = await world.admin.get('/api');
    assert.deepEqual(at(core, 'versions'), ['v1']);
    const { body } = await world.admin.get('/apis');
    const groups = new Set(listAt(body, 'groups').map((group) => textAt(group, 'name')));
    for (const group of ['apps', 'coordination.k8s.io', 'discovery.k8s.io', 'events.k8s.io']) {
      assert.ok(groups.has(group), group);
    }
    const { body: leases } = await world.admin.get('/apis/coordination.k8s.io');
    assert.equal(at(leases, 'preferredVersion.groupVersion'), 'coordination.k8s.io/v1');
  });

  test('everything in one answer, for those who ask for it', async () => {
    const type = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { body, headers } = await world.admin.getAs('/apis', `${type},application/json`);
    assert.equal(headers['content-type'], type);
    assert.deepEqual(
      [textAt(body, 'kind'), textAt(body, 'apiVersion')],
      ['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2'],
    );
    const named = (items: readonly Json[], field: string, name: string) =>
      items.find((item) => textAt(item, ...field.split('.')) === name) as JsonObject;
    const apps = named(listAt(body, 'items'), 'metadata.name', 'apps');
    const [version] = listAt(apps, 'versions');
    assert.equal(textAt(version, 'version'), 'v1');
    const { subresources, verbs, ...deployments } = named(
      listAt(version, 'resources'),
      'resource',
      'deployments',
    );
    assert.deepEqual(deployments, {
      resource: 'deployments',
      responseKind: { group: '', version: '', kind: 'Deployment' },
      scope: 'Namespaced',
      singularResource: 'deployment',
      shortNames: ['deploy'],
      categories: ['all'],
    });
    assert.equal((verbs as string[]).length, 8);
    assert.deepEqual(named(subresources as JsonObject[], 'subresource', 'scale'), {
      subresource: 'scale',
      responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      verbs: ['get', 'patch', 'update'],
    });
    const { body: core } = await world.admin.getAs('/api', type);
    const [items] = listAt(core, 'items');
    const resources = listAt(listAt(items, 'versions')[0], 'resources');
    assert.equal(textAt(named(resources, 'resource', 'nodes'), 'scope'), 'Cluster');
  });

  test('resources with their names, kinds and verbs', async () => {
    const { body } = await world.admin.get('/api/v1');
    const resources = listAt(body, 'resources') as JsonObject[];
    const find = (name: string) => resources.find((resource) => resource['name'] === name) ?? {};
    const { kind, namespaced, shortNames, singularName, verbs } = find('services');
    assert.deepEqual(
      { kind, namespaced, shortNames, singularName, verbs: (verbs as string[]).toSorted() },
      {
        kind: 'Service',
        namespaced: true,
        shortNames: ['svc'],
        singularName: 'service',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      },
    );
    assert.deepEqual(find('services/status')['verbs'], ['get', 'patch', 'update']);
    assert.equal(find('nodes')['namespaced'], false);
  });

  test('schemas by group and version', async () => {
    const { body } = await world.admin.get('/openapi/v3');
    const url = textAt(body, 'paths', 'api/v1', 'serverRelativeURL');
    assert.match(url, /^\/openapi\/v3\/api\/v1/);
    const { body: schema } = await world.admin.get(url);
    const name = 'io.k8s.api.core.v1.Service';
    const kinds = at(schema, 'components.schemas') as JsonObject;
    assert.deepEqual(at(kinds[name], 'x-kubernetes-group-version-kind'), [
      { group: '', kind: 'Service', version: 'v1' },
    ]);
    assert.ok(at(kinds[name], 'properties.spec') !== undefined);
  });
}
