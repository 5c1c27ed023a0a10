import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../json.ts';
import type { World } from './contract-world.ts';
import { at, message, outcome } from './look.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Who may do what. */
export function accessContract(world: World): void {
  const allow = async (namespace: string, user: string, ...rules: readonly JsonObject[]) => {
    const name = `role-of-${user}`;
    const place = `${rbac}/namespaces/${namespace}`;
    await world.admin.post(`${place}/roles`, { metadata: { name }, rules: [...rules] });
    await world.admin.post(`${place}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  };

  /** The real server needs a moment until a new binding works. */
  const until = async (wanted: string, ask: () => Promise<string>) => {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if ((await ask()) === wanted) break;
    }
    assert.equal(await ask(), wanted);
  };

  test('a wrong token is refused, no token is nobody', async () => {
    const wrong = await world.withToken('nonsense').get('/api/v1/services');
    assert.deepEqual(wrong.body, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
    const nobody = await world.anonymous().get('/api/v1/services');
    assert.equal(outcome(nobody), '403 Forbidden');
    assert.match(message(nobody), /User "system:anonymous" cannot list resource "services"/);
    assert.equal((await world.anonymous().get('/version')).status, 200);
    assert.equal((await world.anonymous().get('/readyz')).status, 200);
  });

  test('a refusal says who may not do what, and where', async () => {
    const alice = world.as('alice');
    const refused = async (path: string) => message(await alice.get(path));
    assert.equal(
      await refused('/api/v1/services'),
      'services is forbidden: User "alice" cannot list resource "services" in API group "" at the cluster scope',
    );
    assert.equal(
      await refused('/apis/apps/v1/namespaces/default/deployments/a'),
      'deployments.apps "a" is forbidden: User "alice" cannot get resource "deployments" in API group "apps" in the namespace "default"',
    );
    assert.equal(
      await refused('/api/v1/namespaces/default/services/a/status'),
      'services "a" is forbidden: User "alice" cannot get resource "services/status" in API group "" in the namespace "default"',
    );
    assert.equal(
      await refused('/api/v1/nodes?watch=1'),
      'nodes is forbidden: User "alice" cannot watch resource "nodes" in API group "" at the cluster scope',
    );
    assert.equal(await refused('/metrics'), 'forbidden: User "alice" cannot get path "/metrics"');
    const answer = await alice.get('/apis/apps/v1/deployments');
    assert.deepEqual(at(answer.body, 'details'), { group: 'apps', kind: 'deployments' });
  });

  test('a role allows its verbs on its resources in its namespace, and nothing else', async () => {
    const namespace = await world.namespace();
    const path = `/api/v1/namespaces/${namespace}`;
    await allow(namespace, 'bob', {
      apiGroups: [''],
      resources: ['configmaps'],
      verbs: ['get', 'list'],
    });
    const bob = world.as('bob');
    await until('200', async () => outcome(await bob.get(`${path}/configmaps`)));
    assert.equal(outcome(await bob.get(`${path}/configmaps/a`)), '404 NotFound');
    assert.equal(outcome(await bob.get(`${path}/secrets`)), '403 Forbidden');
    assert.equal(outcome(await bob.get('/api/v1/configmaps')), '403 Forbidden');
    const created = await bob.post(`${path}/configmaps`, { metadata: { name: 'a' } });
    assert.equal(outcome(created), '403 Forbidden');
    assert.equal(outcome(await bob.delete(`${path}/configmaps`)), '403 Forbidden');
  });

  test('a status is a resource of its own', async () => {
    const namespace = await world.namespace();
    const services = `/api/v1/namespaces/${namespace}/services`;
    const service = { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
    await world.admin.post(services, service);
    await allow(namespace, 'bob', {
      apiGroups: [''],
      resources: ['services/status'],
      verbs: ['patch'],
    });
    const bob = world.as('bob');
    const note = { metadata: { annotations: { note: 'x' } } };
    await until('200', async () => outcome(await bob.patch(`${services}/a/status`, note)));
    assert.equal(outcome(await bob.patch(`${services}/a`, note)), '403 Forbidden');
    assert.equal(outcome(await bob.get(`${services}/a`)), '403 Forbidden');
  });

  test('a rule may be about one name, also in lists of that name', async () => {
    const namespace = await world.namespace();
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    await allow(namespace, 'bob', {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: ['mine'],
      verbs: ['get', 'list', 'watch'],
    });
    const bob = world.as('bob');
    await until('404 NotFound', async () => outcome(await bob.get(`${leases}/mine`)));
    assert.equal(outcome(await bob.get(`${leases}/other`)), '403 Forbidden');
    assert.equal(outcome(await bob.get(leases)), '403 Forbidden');
    const byName = await bob.get(`${leases}?fieldSelector=metadata.name%3Dmine`);
    assert.equal(outcome(byName), '200');
  });

  test('a role for all is bound to a group, or in one namespace only', async () => {
    const namespace = await world.namespace();
    const [name, kind] = ['contract-readers', 'ClusterRole'];
    const apiGroup = 'rbac.authorization.k8s.io';
    const rules = [
      { apiGroups: ['*'], resources: ['*'], verbs: ['list'] },
      { nonResourceURLs: ['/metrics*'], verbs: ['get'] },
    ];
    await world.admin.post(`${rbac}/clusterroles`, { metadata: { name }, rules });
    const roleRef = { apiGroup, kind, name };
    await world.admin.post(`${rbac}/namespaces/${namespace}/rolebindings`, {
      metadata: { name },
      roleRef,
      subjects: [{ apiGroup, kind: 'Group', name: 'readers' }],
    });
    const alice = world.as('alice');
    const inside = `/api/v1/namespaces/${namespace}/secrets`;
    await until('200', async () => outcome(await alice.get(inside)));
    assert.equal(outcome(await alice.get('/api/v1/secrets')), '403 Forbidden');
    assert.equal(outcome(await alice.get('/metrics')), '403 Forbidden');
    await world.admin.post(`${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef,
      subjects: [{ apiGroup, kind: 'Group', name: 'readers' }],
    });
    await until('200', async () => outcome(await alice.get('/api/v1/secrets')));
    await world.admin.delete(`${rbac}/clusterrolebindings/${name}`);
    await until('403 Forbidden', async () => outcome(await alice.get('/api/v1/secrets')));
  });

  test('everybody may ask what they may do', async () => {
    const ask = async (verb: string, group: string, resource: string) => {
      const { body } = await world
        .as('alice')
        .post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb, group, resource } },
        });
      return at(body, 'status.allowed');
    };
    assert.equal(await ask('delete', '', 'nodes'), false);
    assert.equal(await ask('create', 'authorization.k8s.io', 'selfsubjectaccessreviews'), true);
  });
}
