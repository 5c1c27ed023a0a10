import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf, ipToBigInt } from '../../model/ip.ts';
import { type Range, rangeOf, rangesOverlap } from '../../model/range.ts';
import { RangeMap } from './range-map.ts';

test('an address is found in the range that holds it, ends included', () => {
  const map = new RangeMap<string>();
  for (const text of ['192.0.2.20-192.0.2.29', '192.0.2.0-192.0.2.9', '2001:db8::/64']) {
    map.add(rangeOf(text), text);
  }
  const find = (text: string) =>
    map.find(text.includes(':') ? 'ipv6' : 'ipv4', ipToBigInt(ipOf(text)));
  assert.deepEqual(
    ['192.0.2.0', '192.0.2.9', '192.0.2.10', '192.0.2.20', '192.0.2.30', '2001:db8::7'].map(find),
    [
      '192.0.2.0-192.0.2.9',
      '192.0.2.0-192.0.2.9',
      undefined,
      '192.0.2.20-192.0.2.29',
      undefined,
      '2001:db8::/64',
    ],
  );
});

/** Numbers small enough that ranges often meet. */
const smallRange: fc.Arbitrary<Range> = fc
  .tuple(fc.constantFrom('ipv4' as const, 'ipv6' as const), fc.nat(60), fc.nat(8))
  .map(([family, first, more]) => ({ family, first: BigInt(first), last: BigInt(first + more) }));

test('what a range overlaps, and what holds an address, is what looking at each one says', () => {
  fc.assert(
    fc.property(fc.array(smallRange, { maxLength: 20 }), smallRange, (ranges, probe) => {
      const map = new RangeMap<Range>();
      const accepted: Range[] = [];
      for (const range of ranges) {
        const rivals = accepted.filter((other) => rangesOverlap(other, range));
        assert.deepEqual(new Set(map.overlapping(range)), new Set(rivals));
        if (rivals.length > 0) continue;
        map.add(range, range);
        accepted.push(range);
      }
      const holder = accepted.find(
        ({ family, first, last }) =>
          family === probe.family && first <= probe.first && probe.first <= last,
      );
      assert.equal(map.find(probe.family, probe.first), holder);
    }),
  );
});
