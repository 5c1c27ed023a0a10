/** The everyday job: a pass decides about the Services that changed, and about no others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import { Simulation } from './simulation.ts';

const samples = [
  { family: 'IPv4', vip: '192.0.2.100', other: '192.0.2.101' },
  { family: 'IPv6', vip: '2001:db8:1::100', other: '2001:db8:1::101' },
] as const;

/** Passes over everything that the agents of all nodes have made. */
function wholePasses({ nodes }: Simulation): number {
  const last = nodes.flatMap(({ agent }) => agent?.last ?? []);
  return last.reduce((sum, { number, parts }) => sum + number - parts, 0);
}

async function started(...ips: readonly string[]): Promise<Simulation> {
  const simulation = new Simulation({ seed: 1, nodes: 3 });
  await simulation.start();
  for (const [index, ip] of ips.entries()) simulation.serve(`service-${index}`, ip);
  // What the first Services made the agents plan is over by then, and the next audit is not due yet.
  await simulation.clock.advance(36_000);
  return simulation;
}

for (const { family, vip, other } of samples) {
  test(`${family}: a Service that comes and goes causes no pass over everything`, async () => {
    const simulation = await started(other);
    const before = wholePasses(simulation);
    simulation.serve('web', vip);
    await simulation.clock.advance(5_000);
    const owner = simulation.holder(ipOf(vip));
    assert.ok(owner.isAgentRunning);
    simulation.unserve('web', ipOf(vip));
    await simulation.clock.advance(5_000);
    assert.deepEqual(
      simulation.nodes.filter((node) => node.holds(ipOf(vip))),
      [],
    );
    assert.equal(wholePasses(simulation), before);
  });

  test(`${family}: the owner of a new address dies a moment later, and another node takes over`, async () => {
    const simulation = await started(other);
    simulation.serve('web', vip);
    await simulation.clock.advance(1_500);
    const owner = simulation.holder(ipOf(vip));
    owner.powerOff();
    await simulation.clock.advance(2_000);
    assert.notEqual(simulation.holder(ipOf(vip)).name, owner.name);
    assert.ok(wholePasses(simulation) > 0);
  });

  test(`${family}: an address that someone removes from a new owner is back within a second`, async () => {
    const simulation = await started(other);
    simulation.serve('web', vip);
    await simulation.clock.advance(4_000);
    const owner = simulation.holder(ipOf(vip));
    const held = owner.kernel.machine.addresses().find(({ ip }) => ip === ipOf(vip));
    assert.ok(held !== undefined);
    await owner.kernel.apply([{ kind: 'remove', address: held }]);
    await simulation.clock.advance(1_000);
    assert.equal(simulation.holder(ipOf(vip)).name, owner.name);
  });
}
