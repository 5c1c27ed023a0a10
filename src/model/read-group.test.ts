import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSurvives } from './hostile.fixture.ts';
import { isProblem, must } from './parsed.ts';
import { readGroup } from './read-group.ts';

const lan = {
  apiVersion: 'purelb.io/v2',
  kind: 'ServiceGroup',
  metadata: { name: 'lan', namespace: 'purelb-system', generation: 3 },
  spec: { local: { v4pools: [{ pool: '192.0.2.0/28', subnet: '192.0.2.0/24' }] } },
  status: { announce: 'Local' },
};

test('a group is read with its pool and its status', () => {
  const { identity, pool, status } = must(readGroup(lan));
  assert.deepEqual([identity.name, identity.generation, status.announce], ['lan', 3, 'Local']);
  assert.equal(must(pool).name, 'lan');
});

test('a group that is kept until its records are returned carries our finalizer', () => {
  const hasFinalizer = (...finalizers: readonly string[]) =>
    must(readGroup({ ...lan, metadata: { ...lan.metadata, finalizers } })).hasFinalizer;
  assert.equal(hasFinalizer('example.com/hold', 'purelb.io/release-records'), true);
  assert.equal(hasFinalizer('example.com/hold'), false);
  assert.equal(must(readGroup(lan)).hasFinalizer, false);
});

test('a group whose spec cannot be read is known by name, with its problems and its status', () => {
  const { identity, pool, status } = must(readGroup({ ...lan, spec: { local: {} } }));
  assert.deepEqual([identity.name, status.announce, isProblem(pool)], ['lan', 'Local', true]);
});

test('a group without a name is refused, and no shape of object makes the reader fail', () => {
  assert.ok(isProblem(readGroup({ ...lan, metadata: { name: '' } })));
  assertSurvives(readGroup, lan);
});
