/** Scenarios of the failover bench, once each, with room for a busy machine: whether they work, not how fast. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FailoverWorld } from '../../lab/failover/failover-world.ts';
import { measureRun, type RunFigures } from '../../lab/failover/measure-run.ts';
import type { Limits, Scenario } from '../../lab/failover/scenario.ts';
import { missing } from '../../lab/missing.ts';

/** Of the thousand that are sent every second. */
const strayPackets = 150;

/** With IPv4 and IPv6 at once. */
export function failoverContract(scenarios: readonly Scenario[]): void {
  const skip = missing('ip', 'nft', 'bridge');
  let world: FailoverWorld;
  before(async () => {
    if (skip === false) world = await FailoverWorld.open();
  });
  after(async () => {
    if (skip === false) await world[Symbol.asyncDispose]();
  });
  for (const scenario of scenarios) {
    const { name, needs = 'ip', limits } = scenario;
    test(name, { skip: skip || missing(needs) }, async (t) => {
      const figures = await measureRun(world, scenario);
      for (const each of figures) t.diagnostic(JSON.stringify(each));
      for (const each of figures) check(each, limits);
    });
  }
}

function check({ family, outageMs, lost, moves, twoHoldersMs }: RunFigures, limits: Limits): void {
  const fits = (isMet: boolean, what: string) => assert.ok(isMet, `${family}: ${what}`);
  fits(outageMs <= 3 * limits.outageMs + strayPackets, `outage of ${outageMs} ms`);
  // A machine that is busy with other things may lose a few by itself: the bench counts each.
  const mostLost = limits.lost === undefined ? Infinity : 3 * limits.lost + strayPackets;
  fits(lost <= mostLost, `${lost} packets lost`);
  fits(moves <= limits.moves && moves >= (limits.leastMoves ?? 0), `${moves} moves`);
  fits(twoHoldersMs <= 3 * limits.twoHoldersMs, `two holders for ${twoHoldersMs} ms`);
}
