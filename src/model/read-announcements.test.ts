import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { must } from './parsed.ts';
import { readAnnouncements } from './read-announcements.ts';

const readBoth = (input: { garpConfig?: unknown; sendgarp?: unknown }) =>
  read(input, (root) => {
    const { garpConfig, sendgarp } = root.fields('garpConfig', 'sendgarp');
    return readAnnouncements(garpConfig, sendgarp);
  });

test('announcements are on unless someone says no', () => {
  const rows = [
    [{}, true],
    [{ garpConfig: {} }, true],
    [{ garpConfig: { enabled: false } }, false],
    [{ sendgarp: false }, false],
    [{ sendgarp: false, garpConfig: { enabled: true } }, false],
    [{ sendgarp: true, garpConfig: { enabled: false } }, true],
  ] as const;
  for (const [input, isEnabled] of rows) {
    assert.equal(must(readBoth(input)).isEnabled, isEnabled, JSON.stringify(input));
  }
});

test("without upstream's settings the schedule is ours, with one of them it is upstream's", () => {
  const rows = [
    [{}, [0, 200, 1200, 3000]],
    [{ enabled: true }, [0, 200, 1200, 3000]],
    [{ initialDelay: '100ms', count: 3, interval: '500ms' }, [100, 600, 1100]],
    [{ count: 2 }, [100, 600]],
    [{ initialDelay: '0s' }, [0, 500, 1000]],
    [{ initialDelay: '-1s', interval: '1s', count: 2 }, [0, 1000]],
  ] as const;
  for (const [garpConfig, schedule] of rows) {
    assert.deepEqual(must(readBoth({ garpConfig })).scheduleMs, schedule);
  }
});

test('a wait that cannot be read is the default, with a warning', () => {
  const reading = readBoth({ garpConfig: { interval: 'fast' } });
  assert.deepEqual(must(reading).scheduleMs, [100, 600, 1100]);
  assert.deepEqual(reading.warnings, [
    {
      path: 'garpConfig.interval',
      message: '"fast" is not a duration: write it like 100ms, 30s or 1m30s',
    },
  ]);
});

test('held addresses are announced again only if asked for', () => {
  const refresh = (refreshInterval: string) =>
    must(readBoth({ garpConfig: { refreshInterval } })).refreshMs;
  assert.equal(refresh('0s'), undefined);
  assert.equal(refresh('0'), undefined);
  assert.equal(refresh('5m'), 300_000);
});
