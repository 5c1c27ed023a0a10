import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetboxWorld } from './netbox-world.ts';

const count = 60;

test('answers that come close together are planned with together', async (t) => {
  const world = new NetboxWorld(6);
  const allocator = world.start();
  await world.cluster.clock.advance(20_000);
  const before = allocator.allocator.last?.number ?? 0;
  for (let index = 0; index < count; index += 1) world.service(`web-${index}`);
  await world.cluster.clock.advance(20_000);
  world.compare();
  assert.equal(world.room.records().length, count);
  const plans = (allocator.allocator.last?.number ?? 0) - before;
  t.diagnostic(`${plans} plans for ${count} Services`);
  assert.ok(plans < count, `${plans} plans for ${count} Services`);
  await allocator.stop();
});
