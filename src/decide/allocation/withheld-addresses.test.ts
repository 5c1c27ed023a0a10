import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipFromBigInt } from '../../model/ip.ts';
import type { PoolRange } from '../../model/pool.ts';
import { prefixOf } from '../../model/prefix.ts';
import { type Range, rangeContains, rangeOf, rangeOfPrefix } from '../../model/range.ts';
import { poolRange } from './ranges.fixture.ts';
import { WithheldAddresses } from './withheld-addresses.ts';

/** Looks at every address of the range. */
function slowly(at: PoolRange, avoidsEdges: boolean): readonly bigint[] {
  const edges = rangeOfPrefix(at.subnet);
  const hasEdges = avoidsEdges && edges.last - edges.first > 1n;
  const found: bigint[] = [];
  for (let value = at.range.first; value <= at.range.last; value++) {
    const ip = ipFromBigInt(at.family, value);
    const isEdge =
      value === edges.first ||
      value === edges.last ||
      (at.family === 'ipv4' && /\.(0|255)$/.test(ip));
    const isExcluded = at.exclusions.some((exclusion) => rangeContains(exclusion, ip));
    if (isExcluded || (hasEdges && isEdge)) found.push(value);
  }
  return found;
}

function fast(at: PoolRange, avoidsEdges: boolean): readonly bigint[] {
  const withheld = new WithheldAddresses(at, avoidsEdges);
  const found: bigint[] = [];
  for (let value = at.range.first; value <= at.range.last; value++) {
    if (withheld.has(value)) found.push(value);
    assert.equal(withheld.skipFrom(value) === value, !withheld.has(value));
  }
  assert.equal(withheld.count(), BigInt(found.length));
  return found;
}

const subnets = ['198.51.0.0/22', '192.0.2.0/25', '192.0.2.64/27', '192.0.2.4/31', '192.0.2.9/32'];
const subnets6 = ['2001:db8::/118', '2001:db8::40/123', '2001:db8::4/127'];

const worlds = fc
  .record({
    subnet: fc.constantFrom(...subnets, ...subnets6),
    avoidsEdges: fc.boolean(),
    ends: fc.array(fc.nat(1100), { minLength: 2, maxLength: 8 }),
  })
  .map(({ subnet, avoidsEdges, ends }) => {
    const { family, first, last } = rangeOfPrefix(prefixOf(subnet));
    const size = Number(last - first) + 1;
    const run = (one: number, other: number): Range => ({
      family,
      first: first + BigInt(Math.min(one % size, other % size)),
      last: first + BigInt(Math.max(one % size, other % size)),
    });
    const range = run(ends[0] ?? 0, ends[1] ?? 0);
    const exclusions = ends.slice(2).map((end, index) => run(end, end + index * 3));
    const at = { family, range, subnet: prefixOf(subnet), prefixLength: 24, text: '' };
    return { at: { ...at, exclusions: exclusions.filter((e) => overlaps(e, range)) }, avoidsEdges };
  });

function overlaps(left: Range, right: Range): boolean {
  return left.first <= right.last && right.first <= left.last;
}

test('exclusions and edges are those that looking at every address finds, and counted right', () => {
  fc.assert(
    fc.property(worlds, ({ at, avoidsEdges }) => {
      assert.deepEqual(fast(at, avoidsEdges), slowly(at, avoidsEdges));
    }),
    { numRuns: 300 },
  );
});

test('in the whole of 10.0.0.0/8 the edges are counted without being looked for', () => {
  const withheld = new WithheldAddresses(poolRange('10.0.0.0/8', '10.0.0.0/8'), true);
  assert.equal(withheld.count(), 2n * 65_536n);
});

test('an excluded half of an IPv6 network is jumped over at once', () => {
  const at = poolRange('2001:db8::/64', '2001:db8::/64', ['2001:db8::/65']);
  const withheld = new WithheldAddresses(at, false);
  assert.equal(withheld.skipFrom(at.range.first), rangeOf('2001:db8::8000:0:0:0/65').first);
  assert.equal(withheld.count(), 1n << 63n);
});
