import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipFromBigInt } from '../../model/ip.ts';
import { must } from '../../model/parsed.ts';
import type { ClusterSource, Pool, PoolRange } from '../../model/pool.ts';
import { readServiceGroup } from '../../model/read-service-group.ts';
import { RangeUse } from './range-use.ts';
import { poolRange } from './ranges.fixture.ts';

const lan: Pool = must(
  readServiceGroup({
    apiVersion: 'purelb.io/v2',
    metadata: { name: 'lan' },
    spec: { local: { v4pools: [{ pool: '192.0.2.0/28', subnet: '192.0.2.0/24' }] } },
  }),
);

function useOf(at: PoolRange, avoidsEdges = false): RangeUse {
  const source = { ...(lan.source as ClusterSource), avoidsEdges };
  return new RangeUse(lan, source, at);
}

/** Takes the lowest address until none is left, or as many as asked for. */
function takeAll(use: RangeUse, most = Number.POSITIVE_INFINITY): readonly string[] {
  const taken: string[] = [];
  for (let free = use.lowestFree(); free !== undefined; free = use.lowestFree()) {
    if (taken.length === most) break;
    use.use(free);
    taken.push(ipFromBigInt(use.at.family, free));
  }
  return taken;
}

test('addresses are taken lowest first, both ends of a CIDR included, until none is left', () => {
  const use = useOf(poolRange('192.0.2.0/30', '192.0.2.0/24'));
  assert.deepEqual(takeAll(use), ['192.0.2.0', '192.0.2.1', '192.0.2.2', '192.0.2.3']);
  assert.deepEqual([use.inUse, use.countFree(), use.lowestFree()], [4, 0n, undefined]);
});

test('what is blocked is passed over but not in use', () => {
  const use = useOf(poolRange('2001:db8::/126', '2001:db8::/64'));
  use.block(use.at.range.first);
  assert.deepEqual([use.countFree(), use.inUse], [3n, 0]);
  assert.deepEqual(takeAll(use), ['2001:db8::1', '2001:db8::2', '2001:db8::3']);
});

test('an IPv6 /64 with a billion addresses excluded costs what a /28 costs', () => {
  const use = useOf(poolRange('2001:db8::/64', '2001:db8::/64', ['2001:db8::1-2001:db8::4000:0']));
  assert.deepEqual(takeAll(use, 3), ['2001:db8::', '2001:db8::4000:1', '2001:db8::4000:2']);
});

test('what comes free is given again before what is above it', () => {
  const use = useOf(poolRange('192.0.2.0/29', '192.0.2.0/24', ['192.0.2.1/32']));
  takeAll(use);
  for (const offset of [5n, 2n]) use.free(use.at.range.first + offset);
  assert.deepEqual([use.inUse, use.countFree()], [5, 2n]);
  assert.deepEqual(takeAll(use), ['192.0.2.2', '192.0.2.5']);
  use.free(use.at.range.first + 1n);
  assert.equal(use.inUse, 7, 'it was not in use');
});

test('what is no longer blocked is given again, and what was withheld and in use counts once', () => {
  const use = useOf(poolRange('192.0.2.0/30', '192.0.2.0/24', ['192.0.2.1/32']));
  use.block(use.at.range.first);
  use.use(use.at.range.first + 1n);
  assert.deepEqual([use.countFree(), takeAll(use)], [2n, ['192.0.2.2', '192.0.2.3']]);
  use.unblockAll();
  use.free(use.at.range.first + 1n);
  assert.deepEqual([use.countFree(), takeAll(use)], [1n, ['192.0.2.0']]);
});

/** Tiny ranges in a network with edges inside them. */
const worlds = fc.record({
  first: fc.nat(40),
  more: fc.nat(30),
  inUse: fc.uniqueArray(fc.nat(70), { maxLength: 30 }),
  blocked: fc.uniqueArray(fc.nat(70), { maxLength: 10 }),
  excluded: fc.uniqueArray(fc.nat(70), { maxLength: 10 }),
  avoidsEdges: fc.boolean(),
});

test('what is taken is what looking at every address in turn finds free', () => {
  fc.assert(
    fc.property(worlds, ({ first, more, inUse, blocked, excluded, avoidsEdges }) => {
      const base = 192n * 2n ** 24n + 2n * 2n ** 8n + 220n;
      const ip = (offset: number) => ipFromBigInt('ipv4', base + BigInt(offset));
      const at = poolRange(`${ip(first)}-${ip(first + more)}`, '192.0.0.0/16');
      const inside = (offset: number) => offset >= first && offset <= first + more;
      const exclusions = excluded.filter(inside).map((offset) => {
        const value = base + BigInt(offset);
        return { family: 'ipv4' as const, first: value, last: value };
      });
      const use = useOf({ ...at, exclusions }, avoidsEdges);
      for (const offset of inUse.filter(inside)) use.use(base + BigInt(offset));
      for (const offset of blocked.filter(inside)) use.block(base + BigInt(offset));
      const isFree = (offset: number) =>
        ![...inUse, ...blocked, ...excluded].includes(offset) &&
        !(avoidsEdges && /\.(0|255)$/.test(ip(offset)));
      const expected = Array.from({ length: more + 1 }, (_, index) => first + index).filter(isFree);
      assert.equal(use.countFree(), BigInt(expected.length));
      assert.deepEqual(takeAll(use), expected.map(ip));
    }),
    { numRuns: 500 },
  );
});
