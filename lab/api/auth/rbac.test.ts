import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inProcess } from '../api.fixture.ts';
import type { JsonObject } from '../json.ts';
import { Rbac } from './rbac.ts';

const group = 'rbac.authorization.k8s.io';

function withRole(rule: JsonObject, subject: JsonObject) {
  const server = inProcess();
  const place = `/apis/${group}/v1/namespaces/default`;
  server.post(`${place}/roles`, { metadata: { name: 'r' }, rules: [rule] });
  server.post(`${place}/rolebindings`, {
    metadata: { name: 'r' },
    roleRef: { apiGroup: group, kind: 'Role', name: 'r' },
    subjects: [subject],
  });
  const rbac = new Rbac(server.api.core.store);
  const may = (user: string, verb: string, resource: string, more = {}) =>
    rbac.judge(
      { name: user, groups: ['readers'] },
      { verb, group: '', resource, namespace: 'default', name: '', ...more },
    ).isAllowed;
  return { server, rbac, may };
}

const pods = { apiGroups: [''], resources: ['pods', '*/status'], verbs: ['get'] };

test('verbs, resources, subresources and namespaces', () => {
  const { may } = withRole(pods, { kind: 'User', name: 'alice' });
  assert.ok(may('alice', 'get', 'pods'));
  assert.ok(may('alice', 'get', 'services/status'));
  assert.ok(!may('alice', 'list', 'pods'));
  assert.ok(!may('alice', 'get', 'services'));
  assert.ok(!may('alice', 'get', 'pods', { namespace: 'other' }));
  assert.ok(!may('alice', 'get', 'pods', { group: 'apps' }));
  assert.ok(!may('bob', 'get', 'pods'));
});

test('groups and service accounts', () => {
  assert.ok(withRole(pods, { kind: 'Group', name: 'readers' }).may('bob', 'get', 'pods'));
  const account = { kind: 'ServiceAccount', name: 'agent', namespace: 'purelb' };
  const { may } = withRole(pods, account);
  assert.ok(may('system:serviceaccount:purelb:agent', 'get', 'pods'));
  assert.ok(!may('system:serviceaccount:other:agent', 'get', 'pods'));
});

test('names', () => {
  const rule = { ...pods, resourceNames: ['a'] };
  const { may } = withRole(rule, { kind: 'User', name: 'alice' });
  assert.ok(may('alice', 'get', 'pods', { name: 'a' }));
  assert.ok(!may('alice', 'get', 'pods', { name: 'b' }));
  assert.ok(!may('alice', 'get', 'pods'));
});

test('a change works at once, and a missing role is named', () => {
  const { server, rbac, may } = withRole(pods, { kind: 'User', name: 'alice' });
  assert.ok(may('alice', 'get', 'pods'));
  server.remove(`/apis/${group}/v1/namespaces/default/roles/r`);
  assert.ok(!may('alice', 'get', 'pods'));
  const { reason } = rbac.judge({ name: 'alice', groups: [] }, { verb: 'get', path: '/metrics' });
  assert.equal(reason, `RBAC: role.${group} "r" not found`);
});
