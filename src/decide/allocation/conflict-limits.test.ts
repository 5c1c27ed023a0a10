import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import type { QuarantinedAddress } from '../../model/pool.ts';
import { findMoveLimits, forgetAt } from './conflict-limits.ts';
import { ranges } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

const hour = 3_600_000;
const now = 10 * hour;

function pool(size: number, quarantine = '1h') {
  const local = ranges(`192.0.2.0-192.0.2.${size - 1}`);
  const [found] = new World().group('x', { local, conflictCheck: { quarantine } }).state()
    .pools.pools;
  assert.ok(found !== undefined);
  return found;
}

function entry(last: number, startedAgo: number, more: Partial<QuarantinedAddress> = {}) {
  const until = now - startedAgo + hour;
  const plain = { mac: undefined, node: undefined, service: `a/${last}` };
  return { ip: ipOf(`192.0.2.${last}`), until, reason: 'Conflict', ...plain, ...more } as const;
}

/** Last bytes of the addresses that may not be left. */
function limited(size: number, ...entries: readonly QuarantinedAddress[]) {
  const limits = findMoveLimits(pool(size), entries, now);
  return [...limits.keys()].map(({ ip }) => Number(ip.split('.')[3]));
}

test('a tenth of a pool per hour, and one at least, the earliest first', () => {
  assert.deepEqual(limited(20, entry(1, 3000), entry(2, 2000), entry(3, 1000)), [3]);
  assert.deepEqual(limited(20, entry(3, 1000), entry(1, 3000), entry(2, 2000)), [3]);
  assert.deepEqual(limited(5, entry(1, 2000), entry(2, 1000)), [2]);
  assert.deepEqual(limited(5, entry(2, 1000), entry(1, 1000)), [2], 'together: by address');
});

test('what was left more than an hour ago does not count for the pool', () => {
  assert.deepEqual(limited(10, entry(1, hour), entry(2, 1000)), []);
});

test('three of one Service, whenever they were', () => {
  const own = { service: 'a/x' };
  const entries = [1, 2, 3, 4].map((last) => entry(last, 5 * hour - last, own));
  assert.deepEqual(limited(250, ...entries), [4]);
});

test('other reasons than conflicts do not count', () => {
  assert.deepEqual(limited(5, entry(1, 2000, { reason: 'Reserved' }), entry(2, 1000)), []);
});

test('a conflict is remembered for an hour at least, other entries until they end', () => {
  const short = entry(1, 0, { until: now + 60_000 });
  assert.equal(forgetAt(short, pool(20, '1m')), now + hour);
  assert.equal(forgetAt({ ...short, reason: 'Cooldown' }, pool(20, '1m')), now + 60_000);
  assert.equal(forgetAt(entry(1, 0), pool(20)), now + hour);
});
