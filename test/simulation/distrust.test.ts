/** Histories of nodes that missed something, and of addresses that two members hold. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];

async function served(nodes = 4) {
  const simulation = new Simulation({ seed: 1, nodes });
  await simulation.start();
  simulation.serve('web', ...vips);
  await simulation.clock.advance(3_000);
  return { simulation, clock: simulation.clock, two: new TwoHolders(simulation, vips) };
}

/** Cuts a node off from everyone on the segment; undone by the returned function. */
function cutOff({ segment }: Simulation, { nic }: SimulatedNode): () => void {
  const before = segment.passes;
  segment.passes = (_frame, from, to) => from !== nic && to !== nic;
  return () => {
    segment.passes = before;
  };
}

const logOf = ({ nodes }: Simulation) => nodes.flatMap(({ log }) => log.slice(-6)).join('\n');

for (const ip of vips) {
  for (const isApiAway of [false, true]) {
    const when = isApiAway ? ', also while the API server is away' : '';

    test(`${ip}: a holder whose machine stood still for 2 s yields to its successor${when}`, async () => {
      const { simulation, clock, two } = await served();
      const stunned = simulation.holder(ip);
      if (isApiAway) simulation.faults.pause();
      stunned.stun();
      await clock.advance(2_000);
      const [successor] = two.reachable(ip);
      assert.ok(successor !== undefined && successor !== stunned);
      const since = clock.monotonic();
      stunned.endStun();
      await clock.advance(8_000);
      assert.equal(simulation.holder(ip).name, successor.name, logOf(simulation));
      assert.ok(two.longestMs(ip) <= 100, `${two.longestMs(ip)} ms`);
      assert.equal(simulation.client.longestSilence(ip, since), 0);
      simulation.faults.resume();
      await clock.advance(30_000);
      assert.equal(simulation.holder(ip).name, successor.name);
      assert.equal(simulation.client.longestSilence(ip, since), 0);
    });
  }

  test(`${ip}: a holder that was cut off while the API server was away yields when it is back`, async () => {
    const { simulation, clock, two } = await served();
    // Another address, so that it has somebody to watch, and knows that nobody answers.
    const cut = simulation.holder(ip);
    simulation.faults.pause();
    const heal = cutOff(simulation, cut);
    await clock.advance(3_000);
    const [successor] = two.reachable(ip);
    assert.ok(successor !== undefined && successor !== cut);
    heal();
    await clock.advance(5_000);
    assert.equal(two.reachable(ip).length, 1, logOf(simulation));
    assert.ok(two.longestMs(ip) <= 1_000, `${two.longestMs(ip)} ms`);
    simulation.faults.resume();
    await clock.advance(30_000);
    simulation.holder(ip);
  });

  test(`${ip}: a carrier that was away for a moment moves nothing`, async () => {
    const { simulation, clock, two } = await served();
    const holder = simulation.holder(ip);
    holder.setCarrier(false);
    await clock.advance(300);
    holder.setCarrier(true);
    await clock.advance(10_000);
    assert.equal(simulation.holder(ip).name, holder.name, logOf(simulation));
    assert.equal(two.longestMs(ip), 0);
    assert.ok(holder.log.some((line) => line.includes('carrierBack')));
  });

  test(`${ip}: when two members came to hold it at once, one of them gives it up`, async () => {
    const { simulation, clock, two } = await served();
    const holder = simulation.holder(ip);
    const other = simulation.nodes.find((node) => node !== holder);
    assert.ok(other !== undefined);
    // The halves do not hear each other, and each has a client's way to them.
    const half = new Set([holder, ...simulation.nodes.filter((n) => n !== other).slice(0, 1)]);
    const nics = new Set([...half].map(({ nic }) => nic));
    const inHalf = (port: unknown) => [...nics].some((nic) => nic === port);
    const ofNodes = (port: unknown) => simulation.nodes.some(({ nic }) => nic === port);
    simulation.segment.passes = (_frame, from, to) =>
      !ofNodes(from) || !ofNodes(to) || inHalf(from) === inHalf(to);
    await clock.advance(5_000);
    simulation.segment.passes = () => true;
    await clock.advance(5_000);
    simulation.holder(ip);
    const since = clock.monotonic();
    await clock.advance(30_000);
    simulation.holder(ip);
    assert.equal(simulation.client.longestSilence(ip, since), 0);
    assert.ok(two.longestMs(ip) < 7_000);
  });
}
