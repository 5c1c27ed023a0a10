import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { type ControlPlane, startControlPlane } from '../../lab/control-plane/control-plane.ts';
import { eventually } from '../../lab/eventually.ts';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import type { Cluster } from './cluster.ts';
import { type ClusterConnection, connectCluster } from './connect-cluster.ts';
import { mergePatch } from './patch.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorObservation } from './reflector-observation.ts';
import { services } from './resources.ts';
import { Store } from './store.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');
const clock = new SystemClock();
const shop = { namespace: 'default', name: 'shop' };
let api: ControlPlane;
let connections: ClusterConnection[] = [];

before(async () => {
  if (skip !== false) return;
  enterFreshNamespace();
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  api = await startControlPlane({ authorization: 'always-allow' });
  await connect().create(services, { metadata: shop, spec: { ports: [{ port: 80 }] } });
});

after(async () => {
  for (const { close } of connections) close();
  await api?.stop();
});

/** Connections of its own, so that one client's do not tell another's that the server is gone. */
function connect(): Cluster {
  const config = { server: api.url, ca: { text: api.ca }, token: { text: api.adminToken } };
  const connection = connectCluster(config, clock);
  connections = [...connections, connection];
  return connection.cluster;
}

function label(cluster: Cluster, value: string): Promise<unknown> {
  return cluster.patch(services, shop, mergePatch({ metadata: { labels: { value } } }));
}

async function follow(use: (store: Store, seen: ReflectorObservation[]) => Promise<void>) {
  const store = new Store();
  const seen: ReflectorObservation[] = [];
  const observe = (observation: ReflectorObservation) => seen.push(observation);
  const options = { cluster: connect(), resource: services, store, clock, random: Math.random };
  const reflector = new Reflector({ ...options, observe });
  const controller = new AbortController();
  const running = reflector.run(controller.signal);
  try {
    await reflector.whenSynced();
    await use(store, seen);
  } finally {
    controller.abort();
    await running;
  }
}

const isLabelled = (store: Store, value: string) => () =>
  assert.deepEqual(store.get('default/shop')?.metadata.labels, { value });

test('a store goes on after the API server crashed, and reads everything again once at most', {
  skip,
}, async () => {
  await follow(async (store, seen) => {
    await api.stopApiServer();
    await api.startApiServer();
    await label(connect(), 'crashed');
    await eventually(isLabelled(store, 'crashed'), { withinMs: 40_000 });
    const kinds = new Set(seen.map(({ kind }) => kind));
    assert.ok(kinds.has('failed'));
    // A server that has just started may not know the version to go on from.
    assert.ok(seen.filter(({ kind }) => kind === 'synced').length <= 2);
  });
});

test('a store goes on after the API server hung for a while', { skip }, async () => {
  await follow(async (store) => {
    await api.freeze();
    await new Promise((resolve) => clock.after(3_000, () => resolve(undefined)));
    api.thaw();
    await label(connect(), 'hung');
    await eventually(isLabelled(store, 'hung'), { withinMs: 10_000 });
  });
});

test('a quiet watch is left open: after 32 s it is still the first one', { skip }, async () => {
  await follow(async (store, seen) => {
    await new Promise((resolve) => clock.after(32_000, () => resolve(undefined)));
    await label(connect(), 'quiet');
    await eventually(isLabelled(store, 'quiet'), { withinMs: 2_000 });
    assert.deepEqual(new Set(seen.map(({ kind }) => kind)), new Set(['synced', 'received']));
  });
});
