import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrefix } from '../../model/prefix.ts';
import { distinct, recordsOf, subnetsOf } from './records-of.ts';
import { World } from './world.fixture.ts';

const text = (list: ReturnType<typeof subnetsOf>) =>
  list.map(({ subnet, prefixLength }) => `${formatPrefix(subnet)} ${prefixLength}`);

test('a group is known by its ranges and by what its status records, each once', () => {
  const world = new World().group('default', ['192.0.2.0/28', '192.0.2.16/28']).service('a/1');
  world.settle().editGroup('default', ['198.51.100.0/28']);
  const { verdicts, byName } = world.state().pools;
  const pool = byName.get('default');
  assert.ok(pool !== undefined);
  assert.deepEqual(text(subnetsOf(pool)), ['198.51.100.0/24 24']);
  const records = recordsOf(verdicts.map(({ group }) => group));
  assert.deepEqual([...records.keys()], ['default']);
  assert.deepEqual(text(records.get('default') ?? []), ['198.51.100.0/24 24', '192.0.2.0/24 24']);
});

test('a group with another source is known by its status alone', () => {
  const world = new World().group('ext', { external: { provider: 'acme' } });
  const pool = world.state().pools.byName.get('ext');
  assert.ok(pool !== undefined);
  assert.deepEqual([subnetsOf(pool), distinct([])], [[], []]);
});
