/** No record of an address that a Service holds, or is about to be given, is ever deleted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookAt } from '../allocator/allocator-world.ts';
import { NetboxWorld, servicesPath } from './netbox-world.ts';

/** In steps so small that a record which is gone and comes back is noticed. */
async function pass(world: NetboxWorld, ms: number): Promise<readonly string[]> {
  const lost: string[] = [];
  for (let passed = 0; passed < ms; passed += 20) {
    await world.cluster.clock.advance(20);
    lost.push(...world.unrecorded());
  }
  return lost;
}

async function sufferOutage(seed: number): Promise<number> {
  const world = new NetboxWorld(seed);
  const allocator = world.start();
  await world.cluster.clock.advance(20_000);
  const count = 40 + world.below(20);
  world.slowestMs = 400;
  world.fateOf = () => ({ kind: 'refused' });
  for (let index = 0; index < count; index += 1) world.service(`web-${index}`);
  await world.cluster.clock.advance(8_000 + world.below(2_000));
  world.fateOf = () => ({ kind: 'served' });
  const lost = await pass(world, 12_000);
  await world.cluster.clock.advance(60_000);
  assert.deepEqual([lost, world.count('DELETE')], [[], 0], `seed ${seed}`);
  world.compare();
  assert.equal(world.room.records().length, count);
  await allocator.stop();
  return count;
}

test('after an outage no record goes of an address that a Service is about to be given', async () => {
  for (const seed of [2, 3]) await sufferOutage(seed);
});

const shares = { 'purelb.io/allow-shared-ip': 'web' };

test('a Service that may not share an address leaves the record of those who do', async () => {
  const world = new NetboxWorld(11);
  const allocator = world.start();
  await world.cluster.clock.advance(20_000);
  world.service('first', {}, shares);
  await world.cluster.clock.advance(5_000);
  const before = world.room.records();
  assert.equal(before.length, 1);
  world.service('second', {}, shares);
  const lost = await pass(world, 30_000);
  assert.deepEqual([lost, world.room.records()], [[], before]);
  assert.equal(world.count('DELETE'), 0);
  const [, second] = world.cluster.list(servicesPath);
  assert.ok(second !== undefined);
  assert.match(lookAt(second).allocated ?? '', /^False .*port/);
  world.cluster.send('DELETE', `${servicesPath}/second`);
  await world.cluster.clock.advance(5_000);
  assert.deepEqual(world.room.records(), before, 'the first still has it');
  world.cluster.send('DELETE', `${servicesPath}/first`);
  await world.cluster.clock.advance(5_000);
  assert.deepEqual(world.room.records(), [], 'the last of them gives it back');
  await allocator.stop();
});

test('an address that is refused again and again is asked for ever more seldom', async () => {
  const world = new NetboxWorld(12);
  // Netbox knows nothing of it, and gives the address out once more.
  world.cluster.send('POST', servicesPath, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'holder',
      annotations: { 'purelb.io/allocated-by': 'PureLB', 'purelb.io/allocated-from': 'gone' },
    },
    spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }] },
  });
  const status = { loadBalancer: { ingress: [{ ip: '198.51.100.0' }] } };
  world.cluster.send('PATCH', `${servicesPath}/holder/status`, { status });
  const allocator = world.start();
  await world.cluster.clock.advance(20_000);
  world.service('web');
  await world.cluster.clock.advance(200_000);
  const asked = world.count('POST');
  assert.ok(asked >= 3 && asked <= 9, `asked ${asked} times within 200 s`);
  await allocator.stop();
});
