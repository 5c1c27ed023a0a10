import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { familySamples } from './cluster.fixture.ts';
import { type DefenceState, planDefence } from './plan-defence.ts';

for (const { family, vip } of familySamples) {
  /** Says whether it announces the address, and when it wants to be asked again. */
  function defender() {
    let state: DefenceState = new Map();
    return (now: number, isClaimed: boolean, isHeld = true) => {
      const only = (is: boolean) => new Set(is ? [vip] : []);
      const order = { claimed: only(isClaimed), held: only(isHeld), now };
      const plan = planDefence(order, state);
      state = plan.state;
      return [plan.due.length, plan.wakeAt];
    };
  }

  test(`${family}: a stranger is answered at once, and again when neighbours that believed it listen`, () => {
    const defend = defender();
    assert.deepEqual(defend(1000, true), [1, 1200]);
    assert.deepEqual(defend(1200, false), [0, 2200]);
    assert.deepEqual(defend(2200, false), [1, 2400]);
    assert.deepEqual(defend(2400, false), [0, Infinity]);
    assert.deepEqual(defend(2500, false), [0, Infinity]);
  });

  test(`${family}: a stranger that has the last word in its second frame is answered within moments`, () => {
    const defend = defender();
    defend(1000, true);
    assert.deepEqual(defend(1013, true), [0, 1200]);
    assert.deepEqual(defend(1200, false), [1, 1400]);
    assert.deepEqual(defend(1400, false), [0, 2400]);
    assert.deepEqual(defend(2400, false), [1, 2600]);
  });

  test(`${family}: a stranger that speaks again after some seconds is answered at once again`, () => {
    const defend = defender();
    for (const now of [0, 6_000, 12_000]) {
      assert.deepEqual(defend(now, true), [1, now + 200]);
      assert.deepEqual(defend(now + 1_200, false), [1, now + 1_400]);
    }
  });

  test(`${family}: one that speaks every six seconds is answered at once for ever: repeats wait for that`, () => {
    const defend = defender();
    for (let at = 0; at < 300_000; at += 6_000) {
      assert.equal(defend(at, true)[0], 1);
      for (let later = 200; later < 6_000; later += 200) defend(at + later, false);
    }
  });

  test(`${family}: one that never stops is answered ten times, and then every five seconds`, () => {
    const defend = defender();
    const said: number[] = [];
    for (let now = 0; now < 60_000; now += 100) {
      if (defend(now, true)[0] === 1) said.push(now);
    }
    const first = Array.from({ length: 10 }, (_, index) => 200 * index);
    const later = Array.from({ length: 11 }, (_, index) => 5_000 * (index + 1));
    assert.deepEqual(said, [...first, ...later]);
  });

  test(`${family}: what is given up meanwhile is not defended again, and has its limit all the same`, () => {
    const defend = defender();
    defend(1000, true);
    assert.deepEqual(defend(2200, false, false), [0, Infinity]);
    assert.deepEqual(defend(2300, false), [0, Infinity]);
    for (let at = 2400; at < 4400; at += 200) defend(at, true);
    assert.deepEqual(defend(4400, true), [0, 6000]);
    assert.deepEqual(defend(4500, false, false), [0, Infinity]);
    assert.deepEqual(defend(4600, true), [0, 6000]);
  });

  test(`${family}: when all is said and paid for nothing is remembered`, () => {
    const held = new Set([vip]);
    const { state } = planDefence({ claimed: held, held, now: 0 });
    const repeated = planDefence({ claimed: new Set(), held, now: 1_200 }, state);
    const sizes = [9_999, 10_000].map(
      (now) => planDefence({ claimed: new Set(), held, now }, repeated.state).state.size,
    );
    assert.deepEqual(sizes, [1, 0]);
  });

  test(`${family}: whatever strangers say, an address is announced at most 22 times within a minute`, () => {
    const pause = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 5_000 }));
    const steps = fc.array(fc.tuple(pause, fc.boolean(), fc.boolean()), {
      minLength: 100,
      maxLength: 400,
    });
    fc.assert(
      fc.property(steps, (all) => {
        const defend = defender();
        const said: number[] = [];
        let now = 0;
        for (const [ms, isClaimed, isHeld] of all) {
          now += ms;
          const [count] = defend(now, isClaimed, isHeld);
          if (count === 1) said.push(now);
        }
        for (const from of said) {
          const within = said.filter((at) => at >= from && at <= from + 60_000);
          assert.ok(within.length <= 22, `${within.length} in a minute`);
        }
      }),
    );
  });
}

test('what nobody claims is not announced', () => {
  assert.deepEqual(planDefence({ claimed: new Set(), held: new Set(), now: 0 }), {
    due: [],
    state: new Map(),
    wakeAt: Infinity,
  });
});
