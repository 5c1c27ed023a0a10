import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isProblem } from './parsed.ts';
import { parseTimestamp } from './timestamp.ts';

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
