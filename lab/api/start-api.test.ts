import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as requestTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../src/runtime/manual-clock.ts';
import { ContractClient } from './contract/contract-client.ts';
import { at, outcome } from './contract/look.ts';
import { seededIdentities } from './rest/identities.ts';
import { type RunningApi, type StartOptions, startApi } from './start-api.ts';

async function started<T>(options: StartOptions, use: (api: RunningApi) => Promise<T>): Promise<T> {
  await using api = await startApi(options);
  return await use(api);
}

function clientOf(api: RunningApi, token = api.adminToken): ContractClient {
  const { url, ca } = api;
  const server = { url, token: () => token, stop: async () => {} };
  return new ContractClient(ca === undefined ? server : { ...server, ca }, token);
}

const configMaps = '/api/v1/namespaces/default/configmaps';

/** What comes of a request that may break: its status, or the error's code. */
async function attempt(asked: Promise<{ status: number }>): Promise<number | string> {
  return asked.then(
    ({ status }) => status,
    (error: { code?: string }) => error.code ?? 'broken',
  );
}

test('over TLS, tokens and client certificates say who one is', async () => {
  await started({ tls: true, rbac: true }, async (api) => {
    assert.match(api.url, /^https:/);
    const bob = await clientOf(api, api.token('bob')).get(configMaps);
    assert.equal(outcome(bob), '403 Forbidden');
    assert.equal(outcome(await clientOf(api).get(configMaps)), '200');
    const certificate = api.clientCertificate('carol', ['system:masters']);
    const status = await new Promise((resolve, reject) => {
      const { ca } = api;
      const asked = requestTls(`${api.url}${configMaps}`, {
        ...certificate,
        ...(ca ? { ca } : {}),
      });
      asked.on('response', (response) => resolve(response.resume().statusCode));
      asked.on('error', reject);
      asked.end();
    });
    assert.equal(status, 200);
    assert.equal(api.audit.total({ user: 'carol', verb: 'list', resource: 'configmaps' }), 1);
  });
});

test('a kubeconfig opens the door', async () => {
  await started({ tls: true, rbac: true }, async (api) => {
    const directory = mkdtempSync(join(tmpdir(), 'purelb-api-'));
    try {
      const path = api.kubeconfig(join(directory, 'config'));
      const config = JSON.parse(readFileSync(path, 'utf8'));
      assert.equal(at(config, 'clusters.0.cluster.server'), api.url);
      const token = String(at(config, 'users.0.user.token'));
      assert.equal(outcome(await clientOf(api, token).get(configMaps)), '200');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

for (const tls of [false, true]) {
  test(`a reset is a reset on the wire${tls ? ', also under TLS' : ''}`, async () => {
    await started({ tls }, async (api) => {
      api.faults.add({ fault: { kind: 'reset' }, times: 1 });
      assert.equal(await attempt(clientOf(api).get(configMaps)), 'ECONNRESET');
      api.faults.add({ fault: { kind: 'cut-body', bytes: 20 }, times: 1 });
      assert.equal(await attempt(clientOf(api).get(configMaps)), 'ECONNRESET');
      assert.equal(await attempt(clientOf(api).get(configMaps)), 200);
    });
  });
}

test('a watch that breaks in the middle of a line', async () => {
  await started({}, async (api) => {
    const watch = await clientOf(api).watch(configMaps);
    api.faults.breakWatches({ how: 'half-line' });
    assert.equal(await watch.next(), undefined);
    assert.equal(api.faults.openWatches, 0);
  });
});

test('faults can be ordered over HTTP, where that is switched on', async () => {
  await started({ faultsEndpoint: true }, async (api) => {
    const client = clientOf(api);
    await client.post('/faults', { fault: { kind: 'status', code: 500 }, times: 1 });
    assert.equal((await client.get(configMaps)).status, 500);
    const { body } = await client.get('/faults');
    assert.equal(at(body, 'rules.0.hits'), 1);
    await client.post('/faults/clock', { ms: 3_600_000 });
    const created = await client.post(configMaps, { metadata: { name: 'a' } });
    const time = Date.parse(String(at(created.body, 'metadata.creationTimestamp')));
    assert.ok(time > Date.now() + 3_500_000);
    await client.delete('/faults');
    assert.deepEqual(at((await client.get('/faults')).body, 'rules'), []);
  });
  await started({}, async (api) => {
    assert.equal((await clientOf(api).get('/faults')).status, 404);
  });
});

test('the audit counts who asked for what', async () => {
  await started({}, async (api) => {
    const alice = clientOf(api, api.token('alice'));
    await alice.get(configMaps);
    await alice.get(configMaps);
    await alice.get('/version');
    assert.deepEqual(api.audit.counts(), {
      'alice list configmaps': 2,
      'alice get /version': 1,
    });
    assert.equal(api.audit.total({ user: 'alice' }), 3);
  });
});

test('seeded and on a manual clock, everything repeats', async () => {
  const run = () =>
    started({ clock: new ManualClock(), identities: seededIdentities(3) }, async (api) => {
      const metadata = { generateName: 'a-' };
      const spec = { ports: [{ port: 80 }], type: 'LoadBalancer' };
      const { body } = await clientOf(api).post('/api/v1/namespaces/default/services', {
        metadata,
        spec,
      });
      return body;
    });
  assert.deepEqual(await run(), await run());
});
