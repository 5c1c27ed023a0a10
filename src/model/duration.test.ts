import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { durationWithin, formatDuration, parseDuration } from './duration.ts';
import { isProblem } from './parsed.ts';

test('durations are read as Go reads them', () => {
  const rows = [
    ['100ms', 100],
    ['1m30s', 90_000],
    ['1h2m3.5s', 3_723_500],
    ['0', 0],
    ['-0', 0],
    ['0s', 0],
    ['1.5s', 1500],
    ['.5s', 500],
    ['5.s', 5000],
    ['+5s', 5000],
    ['-1m', -60_000],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['250μs', 0.25],
    ['1000000ns', 1],
    ['1s1s', 2000],
  ] as const;
  for (const [text, ms] of rows) {
    const parsed = parseDuration(text);
    assert.ok(!isProblem(parsed), text);
    assert.ok(Math.abs(parsed.value - ms) < 1e-9, text);
  }
});

test('what is no duration is refused with what to write', () => {
  const like = 'write it like 100ms, 30s or 1m30s';
  const rows = [
    ['', like],
    ['fast', like],
    ['5 s', like],
    ['5d', like],
    ['s', like],
    ['.s', like],
    ['--5s', like],
    ['5s ', like],
    ['30', 'write its unit, such as 30s'],
    ['1e3s', like],
  ] as const;
  for (const [text, advice] of rows) {
    const problems = [{ path: 'p', message: `"${text}" is not a duration: ${advice}` }];
    assert.deepEqual(parseDuration(text, 'p'), { problems }, text);
  }
});

test('a duration out of bounds is refused with the bounds', () => {
  const parse = durationWithin('20ms', '10s');
  for (const text of ['20ms', '1s', '10s']) assert.deepEqual(parse(text), parseDuration(text));
  for (const text of ['19ms', '10.001s', '-1s', '0']) {
    const message = `${text} is out of bounds: write 20ms to 10s`;
    assert.deepEqual(parse(text, 'p'), { problems: [{ path: 'p', message }] });
  }
  assert.ok(isProblem(parse('soon')));
});

test('a duration is written in the largest units that fit', () => {
  const rows = [
    [0, '0s'],
    [20, '20ms'],
    [1500, '1.5s'],
    [90_000, '1m30s'],
    [3_600_000, '1h'],
    [86_400_000, '24h'],
    [3_605_000, '1h5s'],
    [-5000, '-5s'],
  ] as const;
  for (const [ms, text] of rows) assert.equal(formatDuration(ms), text);
});

test('what is written is read back, and any text is read or refused', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
      assert.deepEqual(parseDuration(formatDuration(ms)), { value: ms });
    }),
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'0123456789.-+hmsnuµ') }),
  );
  fc.assert(
    fc.property(text, (written) => {
      const parsed = parseDuration(written);
      assert.ok(isProblem(parsed) || Number.isFinite(parsed.value));
    }),
    { numRuns: 2000 },
  );
  assert.ok(isProblem(parseDuration('1s'.repeat(1_000_000))));
});
