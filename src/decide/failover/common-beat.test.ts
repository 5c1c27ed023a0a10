import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commonBeat, dueTogether } from './common-beat.ts';

const calm = (at: number) => ({ at, isCalm: true });
const urgent = (at: number) => ({ at, isCalm: false });

test('a calm one waits for another that is due within half an interval', () => {
  const cases: readonly [readonly { at: number; isCalm: boolean }[], number][] = [
    [[], Infinity],
    [[calm(100)], 100],
    [[calm(100), calm(130)], 130],
    [[calm(100), calm(150)], 150],
    [[calm(100), calm(151)], 100],
    [[calm(100), calm(130), calm(170)], 130],
    [[urgent(100), calm(130)], 100],
    [[calm(100), urgent(120), calm(130)], 120],
    [[urgent(100), urgent(90)], 90],
    [[calm(-Infinity), calm(100)], -Infinity],
  ];
  for (const [due, expected] of cases) assert.equal(commonBeat(due, 100), expected);
});

test('all that are asked at one interval are soon in step, and nobody waits for more than half of it', () => {
  const phases = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(phases, (starts) => {
      let due = starts.map(calm);
      for (let turn = 0; turn < 10; turn += 1) {
        const now = commonBeat(due, 100);
        assert.ok(due.every(({ at }) => now - at <= 50));
        due = due.map(({ at }) => calm(at <= now ? now + 100 : at));
      }
      assert.equal(new Set(due.map(({ at }) => at)).size, 1);
    }),
  );
});

test('those that are due soon after the first wait for each other', () => {
  assert.equal(dueTogether([130, 100, 108, 110], 10), 110);
  assert.equal(dueTogether([100, Infinity], 10), 100);
  assert.equal(dueTogether([Infinity], 10), Infinity);
  assert.equal(dueTogether([], 10), Infinity);
});
