import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Pacer } from './pacer.ts';

/** What is due at each of these times, starting at 0. */
function paced(perSecond: number, times: readonly number[]) {
  const pacer = new Pacer({ perSecond, mostDebtMs: 50 }, 0);
  const due = times.map((now) => pacer.due(now));
  return { due, sent: due.reduce((sum, count) => sum + count, 0), skipped: pacer.skipped };
}

test('late turns are made up for in small batches', () => {
  assert.deepEqual(paced(1000, [0, 1, 2, 5, 5.5, 6]).due, [1, 1, 1, 3, 0, 1]);
});

test('after a long stall the overdue packets are left out and counted', () => {
  assert.deepEqual(paced(1000, [0, 500, 501]), { due: [1, 50, 1], sent: 52, skipped: 450 });
});

test('two packets that fall into less than the longest debt are both sent', () => {
  assert.deepEqual(paced(30, [0, 32, 80]), { due: [1, 0, 2], sent: 3, skipped: 0 });
});

test('the rate holds whatever the turns are like, as long as none is very late', () => {
  const steps = fc.array(fc.double({ min: 0, max: 49, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), steps, (perSecond, waits) => {
      let now = 0;
      const times = waits.map((wait) => {
        now += wait;
        return now;
      });
      const { sent, skipped } = paced(perSecond, [0, ...times]);
      assert.deepEqual([sent, skipped], [Math.floor((now * perSecond) / 1000) + 1, 0]);
    }),
  );
});

test('every packet that was due is either sent or counted as skipped', () => {
  const steps = fc.array(fc.double({ min: 0, max: 2000, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(steps, (waits) => {
      let now = 0;
      const times = waits.map((wait) => {
        now += wait;
        return now;
      });
      const { sent, skipped } = paced(1000, times);
      assert.equal(sent + skipped, Math.floor(now) + 1);
    }),
  );
});
