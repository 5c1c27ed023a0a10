import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyPrefix, anyRange, anyText } from './ip.fixture.ts';
import { parsePoolRange } from './parse-pool-range.ts';
import { isProblem } from './parsed.ts';
import { prefixOf } from './prefix.ts';
import { formatRange, isRangeWithin, rangeOf, rangeOfPrefix } from './range.ts';

test('a range inside its subnet is the range', () => {
  for (const [text, subnet] of [
    ['192.0.2.10-192.0.2.20', '192.0.2.0/24'],
    ['192.0.2.200/24', '192.0.2.128/25'],
    ['2001:db8:0:0:8100::4/64', '2001:db8::/64'],
  ] as const) {
    assert.deepEqual(parsePoolRange(text, prefixOf(subnet)), { value: rangeOf(text) });
  }
});

test('a range outside is refused, with what was meant where that is plain', () => {
  const rows = [
    [
      '172.32.100.225-172.30.100.229',
      '172.32.100.0/24',
      'runs backwards and leaves 172.32.100.0/24: did you mean 172.32.100.225-172.32.100.229?',
    ],
    [
      '192.0.2.10-192.0.3.20',
      '192.0.2.0/24',
      'is not inside 192.0.2.0/24: did you mean 192.0.2.10-192.0.2.20?',
    ],
    [
      '192.0.1.10-192.0.2.20',
      '192.0.2.0/24',
      'is not inside 192.0.2.0/24: did you mean 192.0.2.10-192.0.2.20?',
    ],
    ['192.0.2.30-192.0.3.20', '192.0.2.0/24', 'is not inside 192.0.2.0/24'],
    ['192.0.3.10-192.0.3.20', '192.0.2.0/24', 'is not inside 192.0.2.0/24'],
    ['192.0.2.0/23', '192.0.2.0/24', 'is not inside 192.0.2.0/24'],
    ['2001:db8::1-2001:db8::2', '192.0.2.0/24', 'is not inside 192.0.2.0/24'],
    [
      '2001:db8::10-2001:db8:1::20',
      '2001:db8::/64',
      'is not inside 2001:db8::/64: did you mean 2001:db8::10-2001:db8::20?',
    ],
    ['192.0.2.20-192.0.2.10', '192.0.2.0/24', 'runs backwards: write 192.0.2.10-192.0.2.20'],
  ] as const;
  for (const [text, subnet, wrong] of rows) {
    const problems = [{ path: 'p', message: `"${text}" ${wrong}` }];
    assert.deepEqual(parsePoolRange(text, prefixOf(subnet), 'p'), { problems }, text);
  }
});

test('a suggestion is always a range inside the subnet', () => {
  fc.assert(
    fc.property(anyRange, anyPrefix, (range, subnet) => {
      const parsed = parsePoolRange(formatRange(range), subnet);
      if (!isProblem(parsed)) return;
      const [, meant] = /did you mean (.+)\?$/.exec(parsed.problems[0]?.message ?? '') ?? [];
      if (meant !== undefined) assert.ok(isRangeWithin(rangeOf(meant), rangeOfPrefix(subnet)));
    }),
  );
});

test('any text is a range of the subnet or refused', () => {
  fc.assert(
    fc.property(anyText, anyPrefix, (text, subnet) => {
      const parsed = parsePoolRange(text, subnet);
      assert.ok(isProblem(parsed) || isRangeWithin(parsed.value, rangeOfPrefix(subnet)));
    }),
  );
  assert.ok(isProblem(parsePoolRange('1-'.repeat(1_000_000), prefixOf('192.0.2.0/24'))));
});
