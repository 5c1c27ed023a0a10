import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { enterFreshNamespace } from '../fresh-namespace.ts';
import { missing } from '../missing.ts';
import { ApiClient } from './api-client.ts';
import { binaryPath, missingBinaries } from './binaries.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { service } from './objects.ts';
import { createObject } from './write-object.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');
let api: ControlPlane;
let clients: ApiClient[] = [];

before(async () => {
  if (skip !== false) return;
  enterFreshNamespace();
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  api = await startControlPlane({
    authorization: 'rbac',
    auditLog: true,
    users: { alice: ['readers'] },
  });
});

after(async () => {
  for (const client of clients) client.close();
  await api?.stop();
});

function clientOf(credentials: ConstructorParameters<typeof ApiClient>[2]): ApiClient {
  const client = new ApiClient(api.url, api.ca, credentials);
  clients = [...clients, client];
  return client;
}

const services = '/api/v1/namespaces/default/services';
const codeOf = async (path: string, client: ApiClient) =>
  (await client.send({ method: 'GET', path })).status;

test('a dual-stack Service gets cluster addresses of both families', { skip }, async () => {
  const spec = { ipFamilyPolicy: 'RequireDualStack' };
  const send = api.request.bind(api);
  const { spec: given } = await createObject(
    send,
    service({ name: 'both', ports: [{ port: 80 }], spec }),
  );
  const { clusterIPs, ipFamilies } = given as { clusterIPs: string[]; ipFamilies: string[] };
  assert.deepEqual(ipFamilies, ['IPv4', 'IPv6']);
  assert.match(clusterIPs.join(), /^10\.96\.\d+\.\d+,fd00:96::/);
});

test('who has no right is refused until the administrator gives it', { skip }, async () => {
  const byToken = clientOf({ token: api.token('alice') });
  const byCertificate = clientOf(api.clientCertificate('bob', ['readers']));
  const nobody = clientOf({ token: 'made up' });
  const codes = () =>
    Promise.all([byToken, byCertificate, nobody].map((it) => codeOf(services, it)));
  assert.deepEqual(await codes(), [403, 403, 401]);

  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'readers' } };
  const send = api.request.bind(api);
  const rules = [{ apiGroups: [''], resources: ['services'], verbs: ['list'] }];
  await createObject(send, { ...rbac, kind: 'ClusterRole', rules });
  const apiGroup = 'rbac.authorization.k8s.io';
  await createObject(send, {
    ...rbac,
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'readers' },
    subjects: [{ apiGroup, kind: 'Group', name: 'readers' }],
  });
  await eventually(async () => assert.deepEqual(await codes(), [200, 200, 401]), {
    withinMs: 5000,
  });
  assert.equal(await codeOf('/api/v1/namespaces/default/secrets', byToken), 403);
});

test('a stopped API server refuses connections, and knows everything when it is back', {
  skip,
}, async () => {
  const send = api.request.bind(api);
  await createObject(send, service({ name: 'kept', ports: [{ port: 80 }] }));
  await api.stopApiServer();
  await assert.rejects(send({ method: 'GET', path: services }), { code: 'ECONNREFUSED' });
  await api.startApiServer();
  assert.equal((await send({ method: 'GET', path: `${services}/kept` })).status, 200);
});

test('a frozen API server takes connections but does not answer until it thaws', {
  skip,
}, async () => {
  const client = clientOf({ token: api.adminToken });
  await api.freeze();
  const request = { method: 'GET', path: '/readyz' } as const;
  await assert.rejects(client.send({ ...request, timeoutMs: 300 }), { name: 'AbortError' });
  const late = client.send({ ...request, timeoutMs: 5000 });
  api.thaw();
  assert.deepEqual(await late, { status: 200, body: 'ok' });
});

test('the audit log has each write with who did it and how it ended', { skip }, async () => {
  const send = api.request.bind(api);
  const path = `${services}/audited`;
  const body = { metadata: { labels: { seen: 'yes' } } };
  await createObject(send, service({ name: 'audited', ports: [{ port: 80 }] }));
  await send({ method: 'PATCH', path, body });
  await clientOf({ token: api.token('alice') }).send({ method: 'PATCH', path, body });
  const seen = () =>
    api
      .auditEntries()
      .filter(({ object }) => object === 'default/audited')
      .map(({ user, verb, resource, code }) => `${user} ${verb} ${resource} ${code}`);
  const expected = [
    'admin create services 201',
    'admin patch services 200',
    'alice patch services 403',
  ];
  await eventually(() => assert.deepEqual(seen(), expected), {
    withinMs: 2000,
  });
});

test('kubectl works with the kubeconfig', { skip: skip || missingBinaries('kubectl') }, () => {
  const kubeconfig = api.kubeconfig(join(api.dir, 'admin.kubeconfig'));
  const kubectl = (...args: string[]) =>
    spawnSync(binaryPath('kubectl'), [`--kubeconfig=${kubeconfig}`, ...args], { encoding: 'utf8' });
  const listed = kubectl('get', 'namespaces', '--output=name');
  assert.equal(listed.stderr, '');
  assert.match(listed.stdout, /^namespace\/default\n/);
});

const listening = () => execFileSync('ss', ['-Hltn'], { encoding: 'utf8' });

test('a server that cannot start says why, and leaves no process behind', { skip }, async () => {
  const before = listening();
  const second = startControlPlane({ authorization: 'rbac', serviceCidrs: ['192.0.2.0/33'] });
  const message = /^kube-apiserver ended; the end of .*\.log:\n.*not a valid cidr/s;
  await assert.rejects(second, { code: 'DAEMON_FAILED', message });
  assert.equal(listening(), before);
});

test('stopping it ends both processes and removes its folder', { skip }, async () => {
  const { dir } = api;
  assert.notEqual(listening(), '');
  await api.stop();
  assert.deepEqual([listening(), existsSync(dir)], ['', false]);
});
