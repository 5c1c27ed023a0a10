import type { Announcements } from './agent-config.ts';
import type { Cursor } from './cursor.ts';
import { durationWithin, parseDuration } from './duration.ts';

/**
 * At once; soon again, should a frame be lost; past the second for which Linux neighbours ignore a change of a fresh
 * entry; and once more.
 */
const usualSchedule: readonly number[] = [0, 200, 1200, 3000];

/** `spec.local.garpConfig` and v1's `sendgarp`, which wins: on unless one of them says no. */
export function readAnnouncements(garp: Cursor, sendgarp: Cursor): Announcements {
  const at = garp.fields('enabled', 'verifyBeforeSend', 'refreshInterval');
  const refreshMs = at.refreshInterval.parse((text, path) =>
    /^0s?$/.test(text) ? { value: 0 } : durationWithin('1s', '24h')(text, path),
  );
  return {
    isEnabled: sendgarp.boolean() ?? at.enabled.boolean() ?? true,
    scheduleMs: readSchedule(garp),
    verifiesBeforeSend: at.verifyBeforeSend.boolean() ?? true,
    refreshMs: refreshMs === 0 ? undefined : refreshMs,
  };
}

/** Upstream's three settings: who gives one of them gets upstream's defaults for the others. */
function readSchedule(garp: Cursor): readonly number[] {
  const at = garp.fields('initialDelay', 'count', 'interval');
  if (!Object.values(at).some((field) => field.isPresent)) return usualSchedule;
  const delay = readWait(at.initialDelay, 100);
  const interval = readWait(at.interval, 500);
  const count = at.count.integer({ min: 1, max: 10 }) ?? 3;
  return Array.from({ length: count }, (_, index) => delay + index * interval);
}

/** As upstream has it: what cannot be read is the default, what is negative no wait. */
function readWait(cursor: Cursor, usual: number): number {
  return Math.max(0, cursor.attempt((field) => field.parse(parseDuration)) ?? usual);
}
