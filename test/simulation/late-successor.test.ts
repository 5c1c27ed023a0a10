/** A successor reads its offer only when the owner has given it up already. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothVips, PlannedMove } from './planned-move.ts';

for (const ip of bothVips) {
  test(`${ip}: a successor that takes an offer after its owner gave it up completes that move: no long overlap`, async () => {
    const move = await PlannedMove.open({ nodes: 4, ips: [ip] });
    const { faults } = move.simulation;
    const owner = move.holderOf(ip);
    move.label(owner, '');
    await move.until('it chooses one', () =>
      owner.log.some((line) => line.includes('Handing over')),
    );
    // The others read nothing for longer than the owner waits, and then its old Lease: the new one takes 5 s to write.
    faults.holdWatches();
    await move.until('it names one', () => move.handingOf(owner) !== '');
    const successor = move.node(move.handingOf(owner).split('=')[0]);
    const slow = faults.add({ fault: { kind: 'latency', ms: 5_000 } });
    await move.live(3_300);
    assert.deepEqual(move.simulation.holders(ip), [owner.name]);
    assert.ok(
      owner.log.some((line) => line.includes('"outcome":"refused"')),
      'the owner gave the successor up',
    );
    move.begin();
    faults.releaseWatches();
    await move.untilTwoHold(ip);
    await move.live(2_500);
    move.assertSmooth();
    assert.deepEqual(move.simulation.holders(ip), [successor.name]);
    slow.remove();
    await move.live(15_000);
    move.assertOneHolder();
    move.assertOverlap(800);
  });
}
