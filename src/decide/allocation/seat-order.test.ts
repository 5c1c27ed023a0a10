import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findClaimant } from './find-claimant.ts';
import { Places } from './place.ts';
import { compareSeats, type Seat, SeatOrder } from './seat-order.ts';
import { World } from './world.fixture.ts';

const world = new World().group('default', ['192.0.2.0/24']);
for (let index = 0; index < 150; index += 1) world.service(`a/${index}`);
world.settle();
for (let index = 150; index < 200; index += 1) world.service(`a/${index}`);
const { services, settings, pools } = world.state();
const places = new Places(pools);
const seats = services.map(
  (service): Seat => ({
    claimant: findClaimant(service, settings, places),
    decision: { kind: 'ignore', service, why: '' },
  }),
);

test('few or many may come and go at a time: those who are there stand in order', () => {
  const subset = fc.subarray(seats, { maxLength: 100 });
  fc.assert(
    fc.property(fc.array(subset, { maxLength: 6 }), (rounds) => {
      const order = new SeatOrder();
      let present = new Set<Seat>();
      for (const wanted of rounds) {
        const next = new Set(wanted);
        const gone = [...present].filter((seat) => !next.has(seat));
        order.change(
          gone,
          wanted.filter((seat) => !present.has(seat)),
        );
        present = next;
        assert.deepEqual(order.all, [...present].sort(compareSeats));
        for (const seat of seats) {
          const expected = present.has(seat) ? seat : undefined;
          assert.equal(order.find(seat.claimant), expected);
        }
      }
    }),
    { numRuns: 50 },
  );
});
