/** What the original's tests say about ranges and pools, row by row, by what is given out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyOf, ipOf, unmapIpv4 } from '../../model/ip.ts';
import { isProblem } from '../../model/parsed.ts';
import { prefixOf } from '../../model/prefix.ts';
import {
  formatRange,
  isRangeWithin,
  parseRange,
  rangeContains,
  rangeOf,
  rangeOfPrefix,
  rangeSize,
  rangesOverlap,
} from '../../model/range.ts';
import { Places } from './place.ts';
import { World } from './world.fixture.ts';

const isRefused = (text: string) => isProblem(parseRange(text));

test('16.1: a CIDR has its first and last address, and a bare address is none', () => {
  assert.deepEqual(['192.0.2.1', 'nonsense', '192.0.2.0/33'].map(isRefused), [true, true, true]);
  const ends = ['192.0.2.1/32', '192.0.2.0/31', '192.0.2.0/24', '198.18.0.0/16', '10.0.0.0/8'];
  assert.deepEqual(
    [...ends, '2001:db8::/112'].map((text) => formatRange(rangeOf(text))),
    [
      '192.0.2.1-192.0.2.1',
      '192.0.2.0-192.0.2.1',
      '192.0.2.0-192.0.2.255',
      '198.18.0.0-198.18.255.255',
      '10.0.0.0-10.255.255.255',
      '2001:db8::-2001:db8::ffff',
    ],
  );
});

test('16.2: from and to may have blanks around them and be the same, but both must be there', () => {
  const wrong = ['192.0.2.1-', '-192.0.2.1', 'x-192.0.2.1', '192.0.2.1-x'];
  assert.deepEqual(wrong.map(isRefused), [true, true, true, true]);
  const right = ['192.0.2.1 - 192.0.2.2', '192.0.2.1-192.0.2.1', '2001:db8::1-2001:db8::2'];
  assert.deepEqual(right.map(isRefused), [false, false, false]);
});

test('16.3: overlap is found from either side', () => {
  const overlap = (left: string, right: string) => [
    rangesOverlap(rangeOf(left), rangeOf(right)),
    rangesOverlap(rangeOf(right), rangeOf(left)),
  ];
  assert.deepEqual(overlap('192.0.2.1/32', '192.0.2.2/32'), [false, false]);
  assert.deepEqual(overlap('192.0.2.0/24', '192.0.2.0/30'), [true, true]);
  assert.deepEqual(overlap('192.0.2.1-192.0.2.5', '192.0.2.5-192.0.2.9'), [true, true]);
});

test('16.4: a range is used up from its first address to its last', () => {
  const world = new World().group('default', ['192.0.2.6/31']);
  for (const name of '123') world.service(`a/${name}`);
  assert.deepEqual(
    '123'.split('').map((name) => world.settle().addresses(`a/${name}`)),
    [['192.0.2.6'], ['192.0.2.7'], []],
  );
});

test('16.5: a range contains its ends, and lies in a network only with both', () => {
  const range = rangeOf('192.0.2.10-192.0.2.20');
  const contains = (text: string) => rangeContains(range, ipOf(text));
  assert.deepEqual(
    ['192.0.2.9', '192.0.2.10', '192.0.2.20', '192.0.2.21', '2001:db8::1'].map(contains),
    [false, true, true, false, false],
  );
  const within = (subnet: string) => isRangeWithin(range, rangeOfPrefix(prefixOf(subnet)));
  assert.deepEqual(['192.0.2.0/24', '192.0.2.0/28', '192.0.2.16/28'].map(within), [
    true,
    false,
    false,
  ]);
});

test('16.6: sizes are exact, however large', () => {
  const sizes = ['192.0.2.1/32', '192.0.2.0/24', '192.0.2.1-192.0.2.2', '2001:db8::1/112'];
  assert.deepEqual(
    [...sizes, '2001:db8::1-2001:db8::5', '2001:db8::/32'].map((text) => rangeSize(rangeOf(text))),
    [1n, 256n, 2n, 65_535n, 5n, 2n ** 96n],
  );
});

test('16.7: a group shows its ranges as they were written', () => {
  const texts = ['192.0.2.5/24', '198.51.100.1 - 198.51.100.9'];
  const v4pools = texts.map((pool) => ({ pool, subnet: `${pool.split('.', 3).join('.')}.0/24` }));
  const v6pools = ['2001:db8::1/112', '2001:db8:1::1-2001:db8:1::9'].map((pool) => ({
    pool,
    subnet: '2001:db8::/32',
  }));
  const world = new World().group('default', { local: { v4pools, v6pools } }).settle();
  const { addresses } = world.groupStatus('default') as { addresses?: unknown };
  assert.deepEqual(addresses, [...texts, '2001:db8::1/112', '2001:db8:1::1-2001:db8:1::9']);
});

test('16.8, 16.34: the family is seen in every way to write an address', () => {
  const families = ['192.0.2.1', '2001:db8::1', '::1'].map((text) => familyOf(ipOf(text)));
  assert.deepEqual(families, ['ipv4', 'ipv6', 'ipv6']);
  assert.equal(familyOf(unmapIpv4(ipOf('::ffff:192.0.2.1'))), 'ipv4');
});

test('16.9, 16.25: an address is found in whichever range of a group has it, local or remote alike', () => {
  const parts = {
    v4pools: [
      { pool: '192.0.2.0/28', subnet: '192.0.2.0/24' },
      { pool: '198.51.100.1-198.51.100.5', subnet: '198.51.100.0/24' },
    ],
    v4pool: { pool: '203.0.113.0/28', subnet: '203.0.113.0/24' },
    v6pools: [{ pool: '2001:db8::/126', subnet: '2001:db8::/64' }],
    v6pool: { pool: '2001:db8:1::/126', subnet: '2001:db8:1::/64' },
  };
  for (const kind of ['local', 'remote']) {
    const { pools } = new World().group('x', { [kind]: parts }).state();
    const places = new Places(pools);
    const find = (text: string) => places.find(ipOf(text)).use?.at.text;
    const found = ['192.0.2.1', '198.51.100.5', '203.0.113.1', '2001:db8::1', '2001:db8:1::3'];
    assert.deepEqual(found.map(find), [
      '192.0.2.0/28',
      '198.51.100.1-198.51.100.5',
      '203.0.113.0/28',
      '2001:db8::/126',
      '2001:db8:1::/126',
    ]);
    assert.deepEqual(['192.0.2.16', '2001:db8:2::'].map(find), [undefined, undefined]);
  }
  const none = new Places(new World().state().pools);
  assert.equal(none.find(ipOf('192.0.2.1')).use, undefined);
});

test('16.10: a group without namespaces serves all, one with a list those on it', () => {
  const serves = (scope: object, namespace: string) => {
    const local = { v4pools: [{ pool: '192.0.2.0/28', subnet: '192.0.2.0/24' }] };
    const annotations = { 'service-group': 'x' };
    const world = new World().group('x', { local, ...scope }).service(`${namespace}/1`, {
      annotations,
    });
    return world.settle().addresses(`${namespace}/1`).length === 1;
  };
  const bound = { namespaces: ['a', 'a'], enforceNamespaces: true };
  assert.deepEqual(
    [serves({}, 'b'), serves({ namespaces: [] }, 'b'), serves(bound, 'a'), serves(bound, 'b')],
    [true, true, true, false],
  );
});

test('16.15: only local groups skip duplicate address detection', () => {
  const v6pool = { pool: '2001:db8::/126', subnet: '2001:db8::/64' };
  const skips = (spec: object) => {
    const world = new World().group('default', spec).service('a/1', { families: ['IPv6'] });
    return world.settle().annotation('a/1', 'skip-ipv6-dad');
  };
  assert.deepEqual(
    [
      skips({ local: { v6pool, skipIPv6DAD: true } }),
      skips({ local: { v6pool } }),
      skips({ remote: { v6pool } }),
    ],
    ['true', undefined, undefined],
  );
});

test('16.23: the size of a pool is that of both families', () => {
  const world = new World().group('default', ['192.0.2.0/30', '2001:db8::/125']).service('a/1');
  const [outcome] = world.settle().plan().pools;
  const { allocated, available } = outcome ?? {};
  assert.deepEqual(
    [allocated, available],
    [
      { ipv4: 1, ipv6: 0 },
      { ipv4: 3n, ipv6: 8n },
    ],
  );
});

test('16.50: a status is written when any part of it differs, and only then', () => {
  const world = new World()
    .group('default', { local: { v4pools: [{ pool: '192.0.2.0/28', subnet: '192.0.2.0/24' }] } })
    .service('a/1')
    .settle();
  const key = 'purelb-system/default';
  const object = world.groups.get(key);
  assert.ok(object !== undefined);
  const status = world.groupStatus('default');
  for (const field of Object.keys(status)) {
    world.groups.set(key, { ...object, status: { ...status, [field]: undefined } });
    world.settle();
    assert.deepEqual(world.groupStatus('default'), status, `${field} is put right`);
  }
});

test('16.61, 16.62: what is released is free in its own pool, whatever the annotation says', () => {
  const dual = ['IPv4', 'IPv6'] as const;
  const world = new World()
    .group('four', ['192.0.2.0/31'])
    .group('six', ['2001:db8::/127'])
    .service('a/1', { families: dual, annotations: { addresses: '192.0.2.0,2001:db8::' } })
    .settle();
  world
    .edit('a/1', { annotations: { 'allocated-from': 'elsewhere' } })
    .delete('a/1')
    .settle();
  const counts = world.plan().pools.map(({ allocated }) => allocated);
  assert.deepEqual(counts, [
    { ipv4: 0, ipv6: 0 },
    { ipv4: 0, ipv6: 0 },
  ]);
});

test('16.69: each kind of refusal has its reason, and none is tried again before something changes', () => {
  const ask = (group: string) => ({ annotations: { 'service-group': group } });
  const local = (pool: string) => ({
    local: { v4pools: [{ pool, subnet: `${pool.split('.', 3).join('.')}.0/24` }] },
  });
  const world = new World()
    .group('own', { ...local('192.0.2.0/32'), namespaces: ['a'], enforceNamespaces: true })
    .group('twin', { ...local('198.51.100.0/32'), namespaces: ['a'] })
    .group('broken', ['192.0.2.9-192.0.2.1'])
    .group('default', ['203.0.113.0/32'])
    .service('b/1', ask('own'))
    .service('a/1')
    .service('b/2', ask('broken'))
    .service('b/3', ask('none'))
    .service('b/4', { annotations: { addresses: 'x' } })
    .service('b/5')
    .service('b/6');
  const reasons = [...world.services.keys()].map((key) => {
    const decision = world.decision(key);
    return decision.kind === 'ignore'
      ? ''
      : decision.counts.map((count) => Object.values(count)[2]);
  });
  assert.deepEqual(reasons.flat(), [
    'namespace_denied',
    'ambiguous_namespace_default',
    'no_usable_pool',
    'unknown_pool',
    'other',
    'exhausted',
  ]);
  world.settle();
  assert.equal(
    world.plan().decisions.some((each) => each.kind !== 'ignore' && each.isChange),
    false,
  );
});
