/** Scenarios of the failover bench, once each, with room for a busy machine: whether they work, not how fast. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FailoverWorld } from '../../lab/failover/failover-world.ts';
import { measureRun } from '../../lab/failover/measure-run.ts';
import type { Scenario } from '../../lab/failover/scenario.ts';
import { missing } from '../../lab/missing.ts';

/** Of the thousand that are sent every second. */
const strayPackets = 150;

/** Every other one with IPv6. */
export function failoverContract(scenarios: readonly Scenario[]): void {
  const skip = missing('ip', 'nft', 'bridge');
  let world: FailoverWorld;
  before(async () => {
    if (skip === false) world = await FailoverWorld.open();
  });
  after(async () => {
    if (skip === false) await world[Symbol.asyncDispose]();
  });
  for (const [index, scenario] of scenarios.entries()) {
    const family = index % 2 === 0 ? 'ipv4' : 'ipv6';
    const { needs = 'ip', limits } = scenario;
    test(`${scenario.name} (${family})`, { skip: skip || missing(needs) }, async (t) => {
      const figures = await measureRun(world, scenario, family);
      t.diagnostic(JSON.stringify(figures));
      const { outageMs, lost, moves, twoHoldersMs } = figures;
      assert.ok(outageMs <= 3 * limits.outageMs + strayPackets, `outage of ${outageMs} ms`);
      // A machine that is busy with other things may lose a few by itself: the bench counts each.
      const mostLost = limits.lost === undefined ? Infinity : 3 * limits.lost + strayPackets;
      assert.ok(lost <= mostLost, `${lost} packets lost`);
      assert.ok(moves <= limits.moves && moves >= (limits.leastMoves ?? 0), `${moves} moves`);
      assert.ok(twoHoldersMs <= 3 * limits.twoHoldersMs, `two holders for ${twoHoldersMs} ms`);
    });
  }
}
