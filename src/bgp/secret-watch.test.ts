import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from '../../lab/api/api.ts';
import { seededIdentities } from '../../lab/api/rest/identities.ts';
import { collectionPath, readManifest } from '../../lab/manifest.ts';
import { MemoryTransport } from '../../test/allocator/memory-transport.ts';
import { HttpCluster } from '../kube/http-cluster.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { SecretWatch } from './secret-watch.ts';

const installNamespace = 'purelb-system';

/** An agent with the role that is deployed, on an API server that enforces it. */
function openWatch() {
  const clock = new ManualClock();
  const api = new Api({ clock, identities: seededIdentities(1), rbac: true });
  const admin = api.authenticator.issue('admin', ['system:masters']);
  const post = (url: string, object: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${admin}` };
    const { status } = api.handle({ method: 'POST', url, headers, body: JSON.stringify(object) });
    assert.equal(status, 201, url);
  };
  post('/api/v1/namespaces', { metadata: { name: installNamespace } });
  for (const object of readManifest('bgp/rbac')) post(collectionPath(object), object);
  const data = { md5: Buffer.from('s3cret\n').toString('base64') };
  for (const name of ['bgp', 'netbox-client']) {
    post(`/api/v1/namespaces/${installNamespace}/secrets`, { metadata: { name }, data });
  }
  const token = api.authenticator.issue(`system:serviceaccount:${installNamespace}:lbnodeagent`);
  const exchange = async (request: Parameters<Api['handle']>[0]) => api.handle(request);
  const transport = new MemoryTransport({ api: { exchange }, token, clock });
  const cluster = new HttpCluster({ transport, clock });
  let changes = 0;
  const setup = { cluster, clock, random: () => 0.5, observe: () => {}, installNamespace };
  const watch = new SecretWatch(setup, () => {
    changes += 1;
  });
  return { watch, changes: () => changes };
}

/** Everything happens in this process, and no timer has to come due. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('a Secret that the role names is read by its name', async () => {
  const { watch } = openWatch();
  watch.need(new Set(['bgp']));
  await settle();
  assert.deepEqual(watch.answer('bgp', 'md5'), { kind: 'found', text: 's3cret' });
  assert.equal(watch.answer('bgp', 'other').kind, 'absent');
  watch.stop();
});

test('a Secret that the role does not name is not read, and the rule to add is told', async () => {
  const { watch, changes } = openWatch();
  watch.need(new Set(['netbox-client']));
  assert.deepEqual(watch.answer('netbox-client', 'md5'), {
    kind: 'unknown',
    words: 'Secret netbox-client could not be read yet',
  });
  await settle();
  assert.deepEqual(watch.answer('netbox-client', 'md5'), {
    kind: 'unknown',
    words:
      'the agent may not read Secret netbox-client: add its name to resourceNames in the Role purelb:lbnodeagent-bgp in purelb-system',
  });
  assert.equal(changes(), 1);
  watch.stop();
});
