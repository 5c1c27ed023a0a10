/** Histories of two holders that hear each other again, and of what keeps one of them from yielding. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import { Chance } from './chance.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';
import { Weather } from './weather.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];

async function served(ip: Ip, options: Partial<SimulationOptions>) {
  const simulation = new Simulation({ seed: 1, nodes: 3, ...options });
  const { clock, segment } = simulation;
  await simulation.start();
  simulation.serve('web', ip);
  await clock.advance(15_000);
  return { simulation, weather: new Weather(segment, { clock, chance: new Chance(1) }) };
}

/** They hear each other again, and one of them gives way. */
async function reunite(simulation: Simulation, weather: Weather, ip: Ip): Promise<TwoHolders> {
  assert.equal(simulation.holders(ip).length, 2);
  weather.far.clear();
  simulation.changes += 1;
  const two = new TwoHolders(simulation, [ip]);
  await simulation.clock.advance(30_000);
  assert.equal(two.reachable(ip).length, 1);
  return two;
}

/** A cluster of four, half of it parted from the other half for so long that each has the address. */
async function parted(
  ip: Ip,
  options: Partial<SimulationOptions>,
  during: (simulation: Simulation, holder: SimulatedNode, other: SimulatedNode) => Promise<void>,
) {
  const { simulation, weather } = await served(ip, { nodes: 4, ...options });
  const { clock, nodes } = simulation;
  const holder = simulation.holder(ip);
  const [other] = nodes.filter((node) => node !== holder);
  assert.ok(other !== undefined);
  const [third, fourth] = nodes.filter((node) => node !== holder && node !== other);
  assert.ok(third !== undefined && fourth !== undefined);
  for (const node of [holder, third]) weather.far.add(node);
  simulation.changes += 1;
  await clock.advance(4_000);
  const [taker] = [other, fourth].filter((node) => node.holds(ip));
  assert.ok(taker !== undefined && holder.holds(ip));
  await during(simulation, holder, taker);
  return reunite(simulation, weather, ip);
}

const idle = async () => {};

function refuseRenewals(simulation: Simulation, node: SimulatedNode): void {
  const match = { resource: 'leases', verb: 'update', name: `purelb-node-${node.name}` };
  simulation.faults.add({ match, fault: { kind: 'status', code: 500 } });
}

const histories: readonly [
  string,
  Partial<SimulationOptions>,
  (simulation: Simulation, holder: SimulatedNode, taker: SimulatedNode) => Promise<void>,
][] = [
  ['that hear each other again', {}, idle],
  ['that had no API server either on one side', { isApiInBand: true }, idle],
  ['with IPVS and without strictARP', { traits: { secondNic: false, ipvsIps: vips } }, idle],
  [
    'of whom the former cannot renew its Lease',
    {},
    async (simulation, holder) => {
      refuseRenewals(simulation, holder);
      await simulation.clock.advance(12_000);
    },
  ],
  [
    'of whom the new one cannot renew its Lease',
    {},
    async (simulation, _holder, taker) => {
      refuseRenewals(simulation, taker);
      await simulation.clock.advance(12_000);
    },
  ],
  [
    'while the API server is away',
    {},
    async (simulation) => {
      simulation.faults.pause();
      await simulation.clock.advance(12_000);
    },
  ],
];

for (const ip of vips) {
  for (const [name, options, during] of histories) {
    test(`${ip}: two holders ${name}: within a second there is one`, async () => {
      const two = await parted(ip, options, during);
      assert.ok(two.longestMs(ip) <= 1_000, `${two.longestMs(ip)} ms`);
    });
  }
}

for (const ip of vips) {
  for (const partedMs of [1_000, 1_300, 2_500, 4_000, 20_000]) {
    test(`${ip}: the only holder, cut off from everything for ${partedMs} ms: within a second there is one`, async () => {
      const { simulation, weather } = await served(ip, { isApiInBand: true });
      weather.far.add(simulation.holder(ip));
      simulation.changes += 1;
      await simulation.clock.advance(partedMs);
      const two = await reunite(simulation, weather, ip);
      assert.ok(two.longestMs(ip) <= 1_000, `${two.longestMs(ip)} ms`);
    });
  }
}

for (const ip of vips) {
  test(`${ip}: a holder that is back among others that know nothing either yields when it meets the rest`, async () => {
    const { simulation, weather } = await served(ip, { nodes: 6, isApiInBand: true });
    const { clock } = simulation;
    const holder = simulation.holder(ip);
    weather.cut.add(holder);
    simulation.changes += 1;
    await clock.advance(3_500);
    const [companion] = simulation.nodes.filter((node) => node !== holder && !node.holds(ip));
    assert.ok(companion !== undefined);
    for (const node of [holder, companion]) weather.far.add(node);
    weather.cut.clear();
    simulation.changes += 1;
    // There it asks for the address, and the companion does not have it.
    await clock.advance(3_500);
    const two = await reunite(simulation, weather, ip);
    assert.ok(two.longestMs(ip) <= 1_000, `${two.longestMs(ip)} ms`);
  });
}

test('an agent that starts while its kernel cannot be read starts all the same', async () => {
  const simulation = new Simulation({ seed: 1, nodes: 3 });
  const [ip] = vips;
  assert.ok(ip !== undefined);
  await simulation.start();
  simulation.serve('web', ip);
  await simulation.clock.advance(15_000);
  const holder = simulation.holder(ip);
  holder.killAgent();
  holder.kernel.interruptReads(Infinity);
  holder.startAgent();
  await simulation.clock.advance(3_000);
  holder.kernel.interruptReads(0);
  // Longer than the kernel keeps what no agent refreshes.
  await simulation.clock.advance(400_000);
  assert.deepEqual(simulation.holders(ip), [holder.name]);
});
