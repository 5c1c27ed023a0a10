import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installNamespace } from './allocator-world.ts';
import { ipsIn } from './random-history.ts';
import { type SimulatedAllocator, SimulatedCluster } from './simulated-cluster.ts';

const groups = `/apis/purelb.io/v2/namespaces/${installNamespace}/servicegroups`;
const shop = '/api/v1/namespaces/shop/services';

function clusterWithPool(): SimulatedCluster {
  const cluster = new SimulatedCluster(1);
  createGroup(cluster, 'default');
  return cluster;
}

function createGroup(cluster: SimulatedCluster, name: string): void {
  cluster.send('POST', groups, {
    apiVersion: 'purelb.io/v2',
    kind: 'ServiceGroup',
    metadata: { name },
    spec: { local: { v4pool: { subnet: '192.0.2.0/24', pool: '192.0.2.10-192.0.2.20' } } },
  });
}

function createService(cluster: SimulatedCluster, name: string, annotations = {}): void {
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] };
  cluster.send('POST', shop, { metadata: { name, annotations }, spec });
}

function addressesOf(cluster: SimulatedCluster): Readonly<Record<string, string>> {
  const services = cluster.list(shop);
  return Object.fromEntries(
    services.map(({ metadata, status }) => [metadata.name, ipsIn(status).join()]),
  );
}

/** Writes other than of the Lease. */
function ownWrites({ transport }: SimulatedAllocator): readonly string[] {
  return transport.writes.filter((write) => !write.includes('/leases'));
}

test('a standby writes nothing, and takes over at once when the leader stops', async () => {
  const cluster = clusterWithPool();
  const leader = cluster.start();
  await cluster.clock.advance(1_000);
  const standby = cluster.start();
  await cluster.clock.advance(1_000);
  createService(cluster, 'a');
  await cluster.clock.advance(1_000);
  assert.deepEqual(addressesOf(cluster), { a: '192.0.2.10' });
  assert.deepEqual(
    [standby.transport.writes, standby.allocator.preview().plan.decisions.length],
    [[], 1],
  );
  const stopped = leader.stop();
  createService(cluster, 'b');
  await stopped;
  assert.deepEqual(addressesOf(cluster), { a: '192.0.2.10', b: '192.0.2.11' });
  assert.equal(standby.allocator.isWriting, true);
  await standby.stop();
});

test('the next Service has its address within two seconds of the moment the leader loses power', async () => {
  const cluster = clusterWithPool();
  const leader = cluster.start();
  await cluster.clock.advance(1_000);
  const standby = cluster.start();
  await cluster.clock.advance(1_000);
  // Its last renewal was this very moment.
  leader.transport.die();
  createService(cluster, 'a');
  await cluster.clock.advance(1_700);
  assert.deepEqual([leader.allocator.isWriting, standby.allocator.isWriting], [false, false]);
  await cluster.clock.advance(300);
  assert.deepEqual(addressesOf(cluster), { a: '192.0.2.10' });
  await leader.crash();
  await standby.stop();
});

test('a new leader sees what its predecessor wrote last, however late its own watch is', async () => {
  const cluster = clusterWithPool();
  createService(cluster, 'old', { 'purelb.io/service-group': 'other' });
  const leader = cluster.start();
  await cluster.clock.advance(1_000);
  let lagMs = 0;
  const standby = cluster.start({ lagMs: (path) => (path.includes('/services?') ? lagMs : 0) });
  await cluster.clock.advance(1_000);
  lagMs = 600_000;
  createService(cluster, 'new');
  await cluster.clock.advance(100);
  assert.deepEqual(addressesOf(cluster), { new: '192.0.2.10', old: '' });
  // Now the older one may have the very same addresses.
  cluster.send('DELETE', `${groups}/default`);
  createGroup(cluster, 'other');
  leader.transport.die();
  await leader.crash();
  await cluster.clock.advance(20_000);
  assert.equal(standby.allocator.isWriting, true);
  assert.deepEqual(addressesOf(cluster), { new: '192.0.2.10', old: '192.0.2.11' });
  await standby.stop();
});

test('a leader that cannot renew its Lease stops writing before another starts', async () => {
  const cluster = clusterWithPool();
  const leader = cluster.start();
  await cluster.clock.advance(1_000);
  const match = { verb: 'update', resource: 'leases' };
  const fault = cluster.faults.add({ match, fault: { kind: 'status', code: 500 } });
  await cluster.clock.advance(13_000);
  assert.equal(leader.allocator.isWriting, false);
  createService(cluster, 'a');
  const before = ownWrites(leader).length;
  await cluster.clock.advance(10_000);
  assert.equal(ownWrites(leader).length, before);
  cluster.faults.clear();
  assert.ok(fault !== undefined);
  await cluster.clock.advance(10_000);
  assert.deepEqual(addressesOf(cluster), { a: '192.0.2.10' });
  await leader.stop();
});

test('idle, it writes nothing but its Lease, and a watch that is read again changes nothing', async () => {
  const cluster = clusterWithPool();
  for (const name of ['a', 'b', 'c']) createService(cluster, name);
  const allocator = cluster.start();
  await cluster.clock.advance(5_000);
  const before = ownWrites(allocator).length;
  await cluster.clock.advance(3_600_000);
  cluster.api.core.store.compact();
  cluster.faults.breakWatches({ how: 'error', code: 410 });
  await cluster.clock.advance(60_000);
  assert.equal(ownWrites(allocator).length, before);
  const resynced = allocator.log.filter((line) => line.includes('"msg":"Read all objects"'));
  assert.ok(resynced.length > 4, 'the watches were read again');
  await allocator.stop();
});

test('16.63, 17.16: before everything is read nothing is decided, and then all of it at once', async () => {
  const cluster = clusterWithPool();
  for (let index = 0; index < 10; index += 1) createService(cluster, `web-${index}`);
  const allocator = cluster.start({ latencyMs: () => 1_000 });
  await cluster.clock.advance(500);
  assert.deepEqual([allocator.allocator.last, ownWrites(allocator)], [undefined, []]);
  await cluster.clock.advance(16_000);
  const written = ownWrites(allocator).filter((write) => write.includes('/services/'));
  assert.equal(written.length, 10, written.join('\n'));
  assert.equal(new Set(Object.values(addressesOf(cluster))).size, 10);
  await allocator.stop();
});

test('16.75, 16.76, 17.13: that a group counts anew leads to no further plan or write', async () => {
  const cluster = clusterWithPool();
  const allocator = cluster.start();
  await cluster.clock.advance(1_000);
  createService(cluster, 'a');
  await cluster.clock.advance(5_000);
  const written = ownWrites(allocator).filter((write) => write.includes('servicegroups'));
  assert.equal(written.length, 2, 'once for the conditions, once for the count');
  const { number } = allocator.allocator.last ?? {};
  await cluster.clock.advance(60_000);
  assert.equal(allocator.allocator.last?.number, number);
  await allocator.stop();
});

test('16.74, 17.12: what comes free goes to whom it helps, and nobody else is written to', async () => {
  const cluster = clusterWithPool();
  const allocator = cluster.start();
  for (let index = 10; index < 22; index += 1) createService(cluster, `web-${index}`);
  await cluster.clock.advance(2_000);
  assert.equal(addressesOf(cluster)['web-21'], '');
  const before = ownWrites(allocator).length;
  cluster.send('DELETE', `${shop}/web-15`);
  await cluster.clock.advance(2_000);
  assert.equal(addressesOf(cluster)['web-21'], '192.0.2.15');
  const services = ownWrites(allocator)
    .slice(before)
    .filter((write) => write.includes('/services/'));
  assert.equal(services.length, 2, 'the release, and the assignment');
  await allocator.stop();
});

test('16.77: a group that cannot be used is told so, and harms nobody', async () => {
  const cluster = clusterWithPool();
  createService(cluster, 'a');
  const allocator = cluster.start();
  await cluster.clock.advance(2_000);
  createGroup(cluster, 'second');
  createService(cluster, 'b');
  await cluster.clock.advance(2_000);
  assert.deepEqual(addressesOf(cluster), { a: '192.0.2.10', b: '192.0.2.11' });
  const second = cluster.list(groups).find(({ metadata }) => metadata.name === 'second');
  assert.match(JSON.stringify(second?.status), /Pool overlaps with already defined pool/);
  await allocator.stop();
});
