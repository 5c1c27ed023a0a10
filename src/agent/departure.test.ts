import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Placing } from '../decide/announcement/place-addresses.ts';
import { ipOf } from '../model/ip.ts';
import type { PlacementReason } from '../model/placement-reasons.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { Departure } from './departure.ts';

function placing(...reasons: readonly PlacementReason[]): Placing {
  const decisions = reasons.map((reason) => ({
    ip: ipOf('192.0.2.100'),
    services: ['shop/web'],
    mode: 'local' as const,
    outcome: { kind: 'absent' } as const,
    reason,
  }));
  return { decisions, wanted: [], left: new Set(), wakeAt: Infinity };
}

function start() {
  const clock = new ManualClock();
  const departure = new Departure(clock);
  let isOver = false;
  const begin = () =>
    departure.begin(15_000).then(() => {
      isOver = true;
    });
  return { clock, departure, begin, isOver: () => isOver };
}

test('it is over when nothing is being handed over any more', async () => {
  const { clock, departure, begin, isOver } = start();
  assert.equal(departure.isUnderWay, false);
  const ended = begin();
  assert.equal(departure.isUnderWay, true);
  departure.note(placing('handingOver', 'handedOver'));
  await clock.advance(1_000);
  assert.equal(isOver(), false);
  departure.note(placing('handedOver', 'noSuccessor'));
  await ended;
  assert.equal(isOver(), true);
});

test('who is still taking an address over waits, to hand it on', async () => {
  const { clock, departure, begin, isOver } = start();
  const ended = begin();
  departure.note(placing('takingOver'));
  const settled = placing('electionWon');
  const handover = { role: 'settled', at: 0 } as const;
  departure.note({ ...settled, decisions: settled.decisions.map((one) => ({ ...one, handover })) });
  await clock.advance(1_000);
  assert.equal(isOver(), false);
  departure.note(placing('handingOver'));
  departure.note(placing('handedOver'));
  await ended;
});

test('or when the time is up', async () => {
  const { clock, departure, begin, isOver } = start();
  const ended = begin();
  departure.note(placing('handingOver'));
  await clock.advance(14_999);
  assert.equal(isOver(), false);
  await clock.advance(1);
  await ended;
});
