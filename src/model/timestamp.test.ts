import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isProblem } from './parsed.ts';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';

test('times are read with any number of digits and any zone', () => {
  const rows = [
    ['1970-01-01T00:00:01Z', 1000],
    ['1970-01-01T00:00:00.5Z', 500],
    ['1970-01-01T00:00:00.123456Z', 123],
    ['1970-01-01T00:00:00.123456789Z', 123],
    ['1970-01-01T01:00:00+01:00', 0],
    ['2022-01-10T15:57:45Z', 1_641_830_265_000],
  ] as const;
  for (const [text, value] of rows) assert.deepEqual(parseTimestamp(text), { value }, text);
});

test('what is no time is refused', () => {
  for (const text of [
    '',
    'now',
    '2022-01-10',
    '2022-13-10T00:00:00Z',
    '2022-01-10T15:57:45',
    '1',
  ]) {
    const message = `"${text}" is not a time such as 2026-01-31T12:00:00Z`;
    assert.deepEqual(parseTimestamp(text, 'p'), { problems: [{ path: 'p', message }] });
  }
});

test('any text is read or refused', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789-:TZ.+') }));
  fc.assert(
    fc.property(text, (written) => {
      const parsed = parseTimestamp(written);
      assert.ok(isProblem(parsed) || Number.isFinite(parsed.value));
    }),
  );
});

test('a time is written as the rest of the world writes it', () => {
  assert.equal(formatTimestamp(0), '1970-01-01T00:00:00Z');
  assert.equal(formatTimestamp(951_782_399_999), '2000-02-28T23:59:59Z');
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (ms) => {
      const expected = new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
      assert.equal(formatTimestamp(ms), expected);
    }),
    { numRuns: 2000 },
  );
});
