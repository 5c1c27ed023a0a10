import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixOf } from '../../model/prefix.ts';
import { holdsFromPool, usesPool } from './pool-users.ts';
import { World } from './world.fixture.ts';

/** Whether the Service `a/1` uses the pool `ext`, and whether it has addresses from it. */
function judge(world: World): readonly boolean[] {
  const service = world.state().services.find(({ key }) => key === 'a/1');
  assert.ok(service !== undefined);
  return [usesPool(service, 'ext'), holdsFromPool(service, 'ext')];
}

const ask = { annotations: { 'service-group': 'ext' } };
const external = () => new World().group('ext', { external: { provider: 'acme' } });

test('a Service uses a pool from before it is asked for an address until it has given it back', () => {
  const world = external().service('a/1', ask);
  assert.deepEqual(judge(world), [false, false]);
  assert.deepEqual(judge(world.settle()), [true, false], 'marked before the source is asked');
  const addresses = [prefixOf('203.0.113.7/24')];
  world.answers.set('a/1', { pool: 'ext', addresses, failures: [] });
  assert.deepEqual(judge(world.settle()), [true, true]);
  assert.deepEqual(judge(world.delete('a/1').settle()), [true, false], 'on its way back');
});

test('an annotation without our mark makes no user, and the status alone does', () => {
  const forged = { 'allocated-from': 'ext' };
  assert.deepEqual(judge(external().service('a/1', { annotations: forged })), [false, false]);
  const world = external().service('a/1', ask).settle();
  const addresses = [prefixOf('203.0.113.7/24')];
  world.answers.set('a/1', { pool: 'ext', addresses, failures: [] });
  world.settle().edit('a/1', { annotations: { 'allocated-by': null, 'allocated-from': null } });
  assert.deepEqual(judge(world), [true, true]);
});
