import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import type { Family } from './ip.ts';
import { must } from './parsed.ts';
import { prefixOf } from './prefix.ts';
import { formatRange, rangeOf } from './range.ts';
import { readPoolRange } from './read-pool-range.ts';

const readEntry = (entry: unknown, family?: Family) =>
  read(entry, (cursor) => readPoolRange(cursor, family));

const lan = { pool: '192.0.2.10-192.0.2.20', subnet: '192.0.2.0/24' };

test('a range has its subnet, and its prefix length unless told otherwise', () => {
  assert.deepEqual(must(readEntry(lan, 'ipv4')), {
    family: 'ipv4',
    range: rangeOf(lan.pool),
    subnet: prefixOf(lan.subnet),
    prefixLength: 24,
    exclusions: [],
    text: lan.pool,
  });
  const rows = [
    ['default', 24],
    ['', 24],
    ['/32', 32],
    ['/16', 16],
  ] as const;
  for (const [aggregation, length] of rows) {
    assert.equal(must(readEntry({ ...lan, aggregation }))?.prefixLength, length);
  }
});

test('addresses, ranges and networks are left out; what lies elsewhere is warned of', () => {
  const exclude = ['192.0.2.12', '192.0.2.14 - 192.0.2.15', '192.0.2.16/30', '192.0.2.99'];
  const reading = readEntry({ ...lan, exclude }, 'ipv4');
  assert.deepEqual(must(reading)?.exclusions.map(formatRange), [
    '192.0.2.12-192.0.2.12',
    '192.0.2.14-192.0.2.15',
    '192.0.2.16-192.0.2.19',
  ]);
  assert.deepEqual(reading.warnings, [
    { path: 'exclude[3]', message: 'lies outside the range and excludes nothing' },
  ]);
});

test('a subnet written as an address is its network, with a warning', () => {
  const reading = readEntry({ ...lan, subnet: '192.0.2.1/24' }, 'ipv4');
  assert.deepEqual(must(reading)?.subnet, prefixOf('192.0.2.0/24'));
  assert.deepEqual(reading.warnings, [
    { path: 'subnet', message: '192.0.2.1/24 is an address, not a network: 192.0.2.0/24 is used' },
  ]);
});

test('everything wrong with a range is named at once', () => {
  const rows: readonly (readonly [entry: unknown, family: Family, ...problems: string[]])[] = [
    [{}, 'ipv4', 'subnet: is missing', 'pool: is missing'],
    [
      { pool: '2001:db8::1-2001:db8::9', subnet: '2001:db8::/64' },
      'ipv4',
      'subnet: 2001:db8::/64 is not IPv4: v4pools holds IPv4, move it to v6pools',
      'pool: 2001:db8::1-2001:db8::9 is not IPv4: v4pools holds IPv4, move it to v6pools',
    ],
    [
      { ...lan, subnet: '2001:db8::/64' },
      'ipv6',
      'pool: 192.0.2.10-192.0.2.20 is not IPv6: v6pools holds IPv6, move it to v4pools',
    ],
    [
      { pool: 'x', subnet: '192.0.2', aggregation: '/33', exclude: ['y', 7] },
      'ipv4',
      'subnet: "192.0.2" is not a prefix such as 192.0.2.0/24 or 2001:db8::/64',
      'pool: "x" is not a range: write it like 192.0.2.10-192.0.2.20 or 192.0.2.0/24',
      'aggregation: "/33" is not an aggregation: write default, or /8 to /32',
      'exclude[0]: "y" is not a range: write it like 192.0.2.10-192.0.2.20 or 192.0.2.0/24',
      'exclude[1]: must be text, not 7',
    ],
  ];
  for (const [entry, family, ...expected] of rows) {
    const reading = readEntry(entry, family);
    const problems = 'problems' in reading ? reading.problems : [];
    assert.deepEqual(
      problems.map(({ path, message }) => `${path}: ${message}`),
      expected,
    );
  }
});
