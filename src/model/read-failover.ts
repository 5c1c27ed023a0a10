import type { FailoverTimings } from './agent-config.ts';
import type { Cursor } from './cursor.ts';
import { readDuration } from './read-duration.ts';

/** `spec.local.failover`. */
export function readFailover(cursor: Cursor): FailoverTimings {
  const at = cursor.fields(
    'probeInterval',
    'misses',
    'confirmPeriod',
    'rankDelay',
    'stallAfter',
    'linkSettle',
    'restartGrace',
    'handoverOverlap',
    'handoverTimeout',
    'damping',
    'maxFramesPerSecond',
  );
  const frames = at.maxFramesPerSecond.integer({ min: 0, max: 1_000_000 }) ?? 0;
  return {
    probeIntervalMs: readDuration(at.probeInterval, { from: '20ms', to: '10s', usual: '100ms' }),
    misses: at.misses.integer({ min: 2, max: 100 }) ?? 5,
    confirmMs: readDuration(at.confirmPeriod, { from: '20ms', to: '10s', usual: '100ms' }),
    rankDelayMs: readDuration(at.rankDelay, { from: '10ms', to: '10s', usual: '60ms' }),
    stallMs: readDuration(at.stallAfter, { from: '100ms', to: '1m', usual: '400ms' }),
    linkSettleMs: readDuration(at.linkSettle, { from: '0s', to: '10m', usual: '5s' }),
    restartGraceMs: readDuration(at.restartGrace, { from: '10s', to: '1h', usual: '120s' }),
    handoverOverlapMs: readDuration(at.handoverOverlap, { from: '0s', to: '1m', usual: '500ms' }),
    handoverTimeoutMs: readDuration(at.handoverTimeout, { from: '100ms', to: '5m', usual: '3s' }),
    damping: readDamping(at.damping),
    maxFramesPerSecond: frames === 0 ? undefined : frames,
  };
}

function readDamping(cursor: Cursor): FailoverTimings['damping'] {
  const at = cursor.fields('moves', 'window', 'hold');
  return {
    moves: at.moves.integer({ min: 1, max: 100 }) ?? 3,
    windowMs: readDuration(at.window, { from: '1s', to: '24h', usual: '180s' }),
    holdMs: readDuration(at.hold, { from: '0s', to: '24h', usual: '180s' }),
  };
}
