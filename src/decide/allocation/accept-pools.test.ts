import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../model/parsed.ts';
import { readGroup } from '../../model/read-group.ts';
import { acceptPools } from './accept-pools.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

/** Each group's name, and `ok` or why it is refused. */
function verdictsOf(world: World): readonly string[] {
  return world.state().pools.verdicts.map((verdict) => {
    const { name } = verdict.group.identity;
    return 'pool' in verdict ? `${name}: ok` : `${name}: ${verdict.refusal.message}`;
  });
}

test('16.42: groups that can be read are accepted, others refused with what is wrong', () => {
  const world = new World()
    .group('v4', ['192.0.2.0/28'])
    .group('v6', ['2001:db8::/64'])
    .group('word', ['nonsense in 192.0.2.0/24'])
    .group('long', ['192.0.2.0/33']);
  assert.deepEqual(
    verdictsOf(world),
    [
      'long: Failed to parse: spec.local.v4pools[0].pool: "33" is not a prefix length: write 0 to 32 after the "/" for IPv4',
      'v4: ok',
      'v6: ok',
      'word: Failed to parse: spec.local.v4pools[0].pool: "nonsense" is not a range: write it like 192.0.2.10-192.0.2.20 or 192.0.2.0/24',
    ].sort((left, right) => (left < right ? -1 : 1)),
  );
});

test('17.1: two ranges of one group that overlap are refused', () => {
  const world = new World().group('one', ['192.0.2.0/28', '192.0.2.8/29']);
  assert.match(verdictsOf(world)[0] ?? '', /overlaps spec\.local\.v4pools\[0\]/);
});

test('17.31: what the schema of upstream lets through is refused with what to do', () => {
  const v4 = (entry: object, more: object = {}) => ({ local: { v4pools: [entry], ...more } });
  const subnet = '192.0.2.0/24';
  const world = new World()
    .group('a', v4({ pool: '192.0.2.9-192.0.2.1', subnet }))
    .group('b', v4({ pool: '2001:db8::/64', subnet: '2001:db8::/64' }))
    .group('c', v4({ pool: '192.0.2.0/28', subnet }, { multiPool: true, balancePools: true }))
    .group('d', v4({ pool: '192.0.2.0/28', subnet, aggregation: '/64' }))
    .group('e', { local: {} })
    .group('f', v4({ pool: '192.0.2.0/28', subnet, aggregation: '' }));
  const said = verdictsOf(world);
  const expected = [
    /runs backwards: write 192.0.2.1-192.0.2.9/,
    /is not IPv4: v4pools holds IPv4, move it to v6pools/,
    /multiPool and balancePools are mutually exclusive/,
    /"\/64" is not an aggregation: write default, or \/8 to \/32/,
    /give at least one range/,
    /^f: ok$/,
  ];
  for (const [index, pattern] of expected.entries()) assert.match(said[index] ?? '', pattern);
});

test('17.2: that one range lies inside another is found whichever comes first', () => {
  const wide = ['10.0.0.0/8 in 10.0.0.0/8'];
  const narrow = ['10.1.0.0/16 in 10.0.0.0/8'];
  const overlap = (name: string) => `Pool overlaps with already defined pool "${name}"`;
  assert.deepEqual(verdictsOf(new World().group('a', wide).group('b', narrow)), [
    'a: ok',
    `b: ${overlap('a')}`,
  ]);
  assert.deepEqual(verdictsOf(new World().group('a', narrow).group('b', wide)), [
    'a: ok',
    `b: ${overlap('a')}`,
  ]);
});

test('16.59: of several groups that a new one overlaps, the first by name is named', () => {
  const world = new World()
    .group('c', ['192.0.2.0/30'])
    .group('b', ['192.0.2.8/30'])
    .group('new', ['192.0.2.0/28']);
  for (let run = 0; run < 3; run++) {
    assert.equal(verdictsOf(world)[2], 'new: Pool overlaps with already defined pool "b"');
  }
});

test('17.22: the oldest group wins, not the first by name', () => {
  const world = new World().group('default', ['192.0.2.0/28']).group('aaa', ['192.0.2.0/24']);
  assert.deepEqual(verdictsOf(world), [
    'aaa: Pool overlaps with already defined pool "default"',
    'default: ok',
  ]);
});

test('17.22: an older group that is edited to overlap one in use does not displace it', () => {
  const world = new World()
    .group('old', ['198.51.100.0/28'])
    .group('young', ['192.0.2.0/28'])
    .service('a/1', { annotations: { 'service-group': 'young' } })
    .service('a/2', { annotations: { 'service-group': 'old' } })
    .settle()
    .editGroup('old', ['198.51.100.0/28', '192.0.2.8/29'])
    .settle();
  assert.deepEqual(verdictsOf(world), [
    'old: Pool overlaps with already defined pool "young"',
    'young: ok',
  ]);
  assert.deepEqual(world.look(), ['a/1: 192.0.2.0', 'a/2: 198.51.100.0']);
});

test('a name that is taken is refused, and several groups may share one subnet', () => {
  const world = new World().group('lan', ['192.0.2.0/30']).group('more', ['192.0.2.4/30']);
  world.groups.set('purelb-system/flat', {
    apiVersion: 'purelb.io/v1',
    kind: 'ServiceGroup',
    metadata: { name: 'flat', namespace: 'purelb-system' },
    spec: { name: 'lan', subnet: '192.0.2.0/24', pool: '192.0.2.8-192.0.2.9' },
  });
  assert.deepEqual(verdictsOf(world), [
    'flat: ok',
    'lan: Duplicate definition of pool lan',
    'more: ok',
  ]);
});

test('decision 1: flat, v1 and v2 groups on one subnet give addresses side by side', () => {
  const world = new World().group('two', ['192.0.2.0/31']);
  const old = (name: string, spec: object) =>
    world.groups.set(`purelb-system/${name}`, {
      apiVersion: 'purelb.io/v1',
      metadata: { name, namespace: 'purelb-system', generation: 1 },
      spec,
    });
  old('one', { local: { subnet: '192.0.2.0/24', pool: '192.0.2.2/31' } });
  old('zero', { name: 'flat', subnet: '192.0.2.0/24', pool: '192.0.2.4-192.0.2.5' });
  for (const group of ['two', 'one', 'flat', 'zero']) {
    world.service(`a/${group}`, { annotations: { 'service-group': group } });
  }
  world.settle();
  assert.deepEqual(world.look(), [
    'a/two: 192.0.2.0',
    'a/one: 192.0.2.2',
    'a/flat: 192.0.2.4',
    'a/zero: UnknownPool, unknown pool "zero": no ServiceGroup has that name',
  ]);
  const types = ['two', 'one', 'flat'].map((name) => world.annotation(`a/${name}`, 'pool-type'));
  assert.deepEqual(types, ['local', 'auto', 'auto']);
});

test('17.33: groups of one name in several namespaces keep each its own verdict', () => {
  const world = new World()
    .group('lan', ['192.0.2.0/28'], 'a')
    .group('lan', ['198.51.100.0/28'], 'b');
  world.installNamespace = '';
  assert.deepEqual(verdictsOf(world), ['lan: ok', 'lan: Duplicate definition of pool lan']);
  assert.equal(world.state().pools.pools.length, 1);
});

test('10.3: no groups at all are no pools, and nobody loses anything', () => {
  const world = new World().group('default', ['192.0.2.0/30']).service('a/1').settle();
  world.groups.clear();
  assert.deepEqual(world.settle().look(), ['a/1: 192.0.2.0']);
  assert.equal(
    world.condition('a/1'),
    'True NotInPool: 192.0.2.0 from pool default; no group in force has 192.0.2.0: kept until annotation purelb.io/re-evaluate: "true" asks for another',
  );
});

test('a long list of problems is cut', () => {
  const broken = Array.from({ length: 20 }, (_, index) => `x${index}`);
  const group = must(
    readGroup({
      apiVersion: 'purelb.io/v2',
      metadata: { name: 'x' },
      spec: { local: ranges(...broken) },
    }),
  );
  const { verdicts } = acceptPools({ groups: [group], services: [], installNamespace: '' });
  const [verdict] = verdicts;
  assert.match(
    verdict !== undefined && 'refusal' in verdict ? verdict.refusal.message : '',
    /; and \d+ more$/,
  );
});
