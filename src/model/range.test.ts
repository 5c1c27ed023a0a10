import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyFamily, anyPrefix, anyRange, anyText, ipsOf, rangesOf } from './ip.fixture.ts';
import { familyOf, ipOf, ipToBigInt } from './ip.ts';
import { isProblem } from './parsed.ts';
import { prefixContains, prefixOf } from './prefix.ts';
import {
  formatRange,
  isRangeWithin,
  parseRange,
  type Range,
  rangeContains,
  rangeFirst,
  rangeLast,
  rangeOf,
  rangeOfPrefix,
  rangeSize,
  rangesOverlap,
} from './range.ts';

test('a range is from-to or a CIDR that starts at the address as written', () => {
  const rows = [
    ['192.0.2.10-192.0.2.20', '192.0.2.10-192.0.2.20', 11n],
    ['192.0.2.10-192.0.2.10', '192.0.2.10-192.0.2.10', 1n],
    [' 192.0.2.10 \t-  192.0.2.20 ', '192.0.2.10-192.0.2.20', 11n],
    ['192.0.2.0/24', '192.0.2.0-192.0.2.255', 256n],
    ['192.0.2.5/24', '192.0.2.5-192.0.2.255', 251n],
    ['192.0.2.5/32', '192.0.2.5-192.0.2.5', 1n],
    ['0.0.0.0/0', '0.0.0.0-255.255.255.255', 1n << 32n],
    ['2001:db8::a-2001:DB8::14', '2001:db8::a-2001:db8::14', 11n],
    ['2001:db8::a - 2001:db8::a', '2001:db8::a-2001:db8::a', 1n],
    ['2001:db8:0:8000::/126', '2001:db8:0:8000::-2001:db8:0:8000::3', 4n],
    ['2001:db8::1/112', '2001:db8::1-2001:db8::ffff', 65_535n],
    ['2001:db8::/64', '2001:db8::-2001:db8::ffff:ffff:ffff:ffff', 1n << 64n],
    ['::/0', '::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 1n << 128n],
  ] as const;
  for (const [text, canonical, size] of rows) {
    const range = rangeOf(text);
    assert.equal(formatRange(range), canonical);
    assert.equal(rangeSize(range), size, text);
    assert.equal(range.family, familyOf(rangeFirst(range)));
  }
});

const expected = ': write it like 192.0.2.10-192.0.2.20 or 192.0.2.0/24';
const refused: readonly (readonly [text: string, ...messages: string[]])[] = [
  ['192.0.2.20-192.0.2.10', 'runs backwards: write 192.0.2.10-192.0.2.20'],
  ['2001:db8::2 - 2001:db8::1', 'runs backwards: write 2001:db8::1-2001:db8::2'],
  ['192.0.2.1-2001:db8::1', 'mixes IPv4 and IPv6: give each family a range of its own'],
  ['2001:db8::1-192.0.2.1', 'mixes IPv4 and IPv6: give each family a range of its own'],
  ['::ffff:192.0.2.1-2001:db8::1', 'mixes IPv4 and IPv6: give each family a range of its own'],
  ['::ffff:192.0.2.1-::ffff:192.0.2.9', 'is IPv4 written as IPv6: write 192.0.2.1-192.0.2.9'],
  ['::ffff:192.0.2.9-192.0.2.1', 'is IPv4 written as IPv6: write 192.0.2.1-192.0.2.9'],
  ['192.0.2.1-::ffff:192.0.2.9', 'is IPv4 written as IPv6: write 192.0.2.1-192.0.2.9'],
  ['::ffff:192.0.2.0/120', 'is IPv4 written as IPv6: write 192.0.2.0-192.0.2.255'],
  ['', `is not a range${expected}`],
  ['pool', `is not a range${expected}`],
  ['192.0.2.1', 'is not a prefix: for this address alone write 192.0.2.1/32'],
  ['2001:db8::1', 'is not a prefix: for this address alone write 2001:db8::1/128'],
];

test('what is not a range is refused with what to write instead', () => {
  for (const [text, message] of refused) {
    const problems = [{ path: 'spec.pool', message: `"${text}" ${message}` }];
    assert.deepEqual(parseRange(text, 'spec.pool'), { problems }, text);
  }
  assert.throws(() => rangeOf('192.0.2.2-192.0.2.1'), TypeError);
});

test('each wrong end of a range has its own problem', () => {
  const zone = 'is not an IP address: leave out the zone after "%"';
  const length = 'is not a prefix length: write 0 to 32 after the "/" for IPv4';
  const rows: readonly (readonly [text: string, ...messages: string[]])[] = [
    ['-', `the range has no start${expected}`, `the range has no end${expected}`],
    ['192.0.2.1-', `the range has no end${expected}`],
    ['192.0.2.1-9', '"9" is not an IP address'],
    ['192.0.2-192.0.300', '"192.0.2" is not an IP address', '"192.0.300" is not an IP address'],
    ['192.0.2.1-192.0.2.3-192.0.2.9', '"192.0.2.3-192.0.2.9" is not an IP address'],
    ['fe80::1%a-fe80::2%b', `"fe80::1%a" ${zone}`, `"fe80::2%b" ${zone}`],
    ['192.0.2.0/33', `"33" ${length}`],
    [
      '192.0.2.0/-1',
      '"192.0.2.0/" is not an IP address: leave out the prefix length after "/"',
      '"1" is not an IP address',
    ],
  ];
  for (const [text, ...messages] of rows) {
    const problems = messages.map((message) => ({ path: '', message }));
    assert.deepEqual(parseRange(text), { problems }, text);
  }
});

test('over-long text is neither taken apart nor echoed', () => {
  const parsed = parseRange('192.0.2.1-'.repeat(1_000_000));
  assert.deepEqual(parsed, {
    problems: [
      {
        path: '',
        message: `"${'192.0.2.1-'.repeat(5)}192.0.2.1…" is too long for a range${expected}`,
      },
    ],
  });
});

test('a range contains its ends and nothing beside them', () => {
  const rows = [
    ['192.0.2.10-192.0.2.20', ['192.0.2.9', '192.0.2.21', '::c000:20f', '2001:db8::1']],
    ['2001:db8::10-2001:db8::20', ['2001:db8::f', '2001:db8::21', '0.0.0.16', '192.0.2.1']],
  ] as const;
  for (const [text, outside] of rows) {
    const range = rangeOf(text);
    assert.equal(rangeContains(range, rangeFirst(range)), true);
    assert.equal(rangeContains(range, rangeLast(range)), true);
    for (const ip of outside) assert.equal(rangeContains(range, ipOf(ip)), false, ip);
  }
});

test('ranges of different families have nothing in common', () => {
  const [v4, v6] = [rangeOf('0.0.0.0/0'), rangeOf('::/0')];
  assert.equal(rangesOverlap(v4, v6), false);
  assert.equal(isRangeWithin(v4, v6), false);
});

test('a range inside another overlaps it, from either side', () => {
  for (const [inner, outer] of [
    ['192.0.2.10-192.0.2.20', '192.0.2.0/24'],
    ['2001:db8::10-2001:db8::20', '2001:db8::/64'],
  ] as const) {
    assert.equal(rangesOverlap(rangeOf(inner), rangeOf(outer)), true);
    assert.equal(rangesOverlap(rangeOf(outer), rangeOf(inner)), true);
    assert.equal(isRangeWithin(rangeOf(inner), rangeOf(outer)), true);
    assert.equal(isRangeWithin(rangeOf(outer), rangeOf(inner)), false);
  }
});

test('the range of a prefix is its whole network', () => {
  assert.equal(formatRange(rangeOfPrefix(prefixOf('192.0.2.77/24'))), '192.0.2.0-192.0.2.255');
  assert.equal(formatRange(rangeOfPrefix(prefixOf('2001:db8::7/126'))), '2001:db8::4-2001:db8::7');
});

test('any text parses or is refused, and what parses survives being written', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const parsed = parseRange(text);
      if (!isProblem(parsed)) assert.deepEqual(parseRange(formatRange(parsed.value)), parsed);
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(anyRange, (range) => {
      assert.deepEqual(parseRange(formatRange(range)), { value: range });
    }),
    { numRuns: 1000 },
  );
});

test('a reversed range becomes right by following the suggestion', () => {
  fc.assert(
    fc.property(anyRange, (range) => {
      fc.pre(range.first !== range.last);
      const parsed = parseRange(`${rangeLast(range)}-${rangeFirst(range)}`);
      const suggestion = isProblem(parsed) ? parsed.problems[0]?.message.split('write ')[1] : '';
      assert.deepEqual(parseRange(suggestion ?? ''), { value: range });
    }),
  );
});

test('contains, overlaps and within agree with a slow look at the ends', () => {
  const cases = anyFamily.chain((family) =>
    fc.tuple(rangesOf(family), rangesOf(family), ipsOf(family)),
  );
  const has = (range: Range, value: bigint) => value >= range.first && value <= range.last;
  fc.assert(
    fc.property(cases, ([left, right, ip]) => {
      assert.equal(rangeContains(left, ip), has(left, ipToBigInt(ip)));
      const shared = has(left, right.first) || has(right, left.first);
      assert.equal(rangesOverlap(left, right), shared);
      const within = has(right, left.first) && has(right, left.last);
      assert.equal(isRangeWithin(left, right), within);
    }),
    { numRuns: 2000 },
  );
});

test('a prefix and its range contain the same addresses', () => {
  fc.assert(
    fc.property(anyPrefix, anyFamily.chain(ipsOf), (prefix, ip) => {
      assert.equal(rangeContains(rangeOfPrefix(prefix), ip), prefixContains(prefix, ip));
    }),
  );
});
