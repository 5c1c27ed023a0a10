import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNames, indexNamespaces, isSelective, takesUnasked } from './namespace-index.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

/** Groups on one subnet, each with what it says about namespaces. */
function poolsOf(scopes: Readonly<Record<string, object>>) {
  const world = new World();
  for (const [index, [name, scope]] of Object.entries(scopes).entries()) {
    world.group(name, { local: ranges(`192.0.2.${index}/32`), ...scope });
  }
  return world.state().pools.pools;
}

function choiceOf(scopes: Readonly<Record<string, object>>) {
  return indexNamespaces(poolsOf(scopes)).bindings.get('a')?.choice;
}

test('6.2: the only group of a namespace is its default, listed twice or marked or not', () => {
  assert.deepEqual(choiceOf({ x: { namespaces: ['a', 'a'] } }), { group: 'x' });
  assert.deepEqual(choiceOf({ x: { namespaces: ['b'] } }), undefined);
});

test('6.2: of several the marked one is the default, and none or two marked are ambiguous', () => {
  const a = { namespaces: ['a'] };
  const marked = { ...a, namespaceDefault: true };
  assert.deepEqual(choiceOf({ x: a, y: marked }), { group: 'y' });
  assert.deepEqual(choiceOf({ y: a, x: a }), {
    ambiguity: 'namespace "a" is served by [x y] and none sets namespaceDefault; exactly one must',
  });
  assert.deepEqual(choiceOf({ y: marked, x: marked, z: a }), {
    ambiguity: 'namespace "a": [x y] all set namespaceDefault; exactly one must',
  });
});

test('K1: a higher priority settles what would be ambiguous, but not against a mark', () => {
  const a = { namespaces: ['a'] };
  assert.deepEqual(choiceOf({ x: a, y: { ...a, priority: 5 } }), { group: 'y' });
  const marked = { ...a, namespaceDefault: true };
  assert.deepEqual(choiceOf({ x: marked, y: { ...a, priority: 5 } }), { group: 'x' });
});

test('K1: a group that selects, or must be asked for by name, is nobody\u2019s default', () => {
  const a = { namespaces: ['a'] };
  const selecting = { ...a, serviceSelector: { matchLabels: { app: 'x' } } };
  const asked = { ...a, autoAssign: false };
  assert.deepEqual(choiceOf({ x: a, y: selecting, z: asked }), { group: 'x' });
  assert.deepEqual(choiceOf({ y: selecting, z: asked }), {
    ambiguity: 'namespace "a" is served by [y z], which all must be asked for by name',
  });
  const pools = poolsOf({ x: a, y: selecting, z: asked });
  assert.deepEqual(pools.map(takesUnasked), [true, false, false]);
  assert.deepEqual(
    pools.map(({ scope }) => isSelective(scope)),
    [false, true, false],
  );
});

test('6.2: one group that enforces fences all groups of its namespaces', () => {
  const { bindings, confined } = indexNamespaces(
    poolsOf({
      x: { namespaces: ['a', 'b'], enforceNamespaces: true },
      y: { namespaces: ['a'] },
      z: { namespaces: ['c'] },
    }),
  );
  assert.deepEqual([...confined].sort(), ['x', 'y']);
  assert.deepEqual(bindings.get('a')?.eligible, ['x', 'y']);
  assert.deepEqual(
    [...bindings].map(([name, { isEnforced }]) => [name, isEnforced]),
    [
      ['a', true],
      ['b', true],
      ['c', false],
    ],
  );
  assert.equal(formatNames(['x', 'y']), '[x y]');
});
