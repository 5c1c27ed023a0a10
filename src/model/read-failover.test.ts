import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { must } from './parsed.ts';
import { readFailover } from './read-failover.ts';

test('every timing can be set', () => {
  const written = {
    probeInterval: '30ms',
    misses: 4,
    confirmPeriod: '50ms',
    rankDelay: '20ms',
    stallAfter: '200ms',
    linkSettle: '0s',
    restartGrace: '5m',
    handoverOverlap: '1s',
    handoverTimeout: '10s',
    damping: { moves: 5, window: '10m', hold: '1h' },
    maxFramesPerSecond: 100,
  };
  assert.deepEqual(must(read(written, readFailover)), {
    probeIntervalMs: 30,
    misses: 4,
    confirmMs: 50,
    rankDelayMs: 20,
    stallMs: 200,
    linkSettleMs: 0,
    restartGraceMs: 300_000,
    handoverOverlapMs: 1000,
    handoverTimeoutMs: 10_000,
    damping: { moves: 5, windowMs: 600_000, holdMs: 3_600_000 },
    maxFramesPerSecond: 100,
  });
});

test('no limit on frames is written as 0 or not at all', () => {
  for (const written of [{}, { maxFramesPerSecond: 0 }]) {
    assert.equal(must(read(written, readFailover)).maxFramesPerSecond, undefined);
  }
});
