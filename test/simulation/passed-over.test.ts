/** Histories of successors that cannot act: they are not waited for, and find a holder when they come back. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankNodes } from '../../src/decide/announcement/rank-nodes.ts';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];

async function started(ips: readonly Ip[]) {
  const simulation = new Simulation({ seed: 1, nodes: 5 });
  await simulation.start();
  if (ips.length > 0) simulation.serve('web', ...ips);
  await simulation.clock.advance(15_000);
  return { simulation, clock: simulation.clock, two: new TwoHolders(simulation, ips) };
}

/** In the order in which they take over. */
function heirsOf({ nodes }: Simulation, ip: Ip): readonly SimulatedNode[] {
  const able = nodes.filter((node) => !node.holds(ip)).map(({ name }) => name);
  return rankNodes(ip, able).flatMap((name) => nodes.filter((node) => node.name === name));
}

const faults: readonly [string, (node: SimulatedNode) => void, (node: SimulatedNode) => void][] = [
  [
    'whose agent was restarted while the API server is away',
    (node) => {
      node.killAgent();
      node.startAgent();
    },
    () => {},
  ],
  ['whose agent is dead', (node) => node.killAgent(), (node) => node.startAgent()],
  ['whose agent stands still', (node) => node.stall(), (node) => node.resume()],
];

for (const ip of vips) {
  for (const [name, begin, end] of faults) {
    for (const count of [1, 2]) {
      test(`${ip}: ${count} successor(s) ${name}: the next takes over, and keeps it`, async () => {
        const { simulation, clock, two } = await started([ip]);
        const holder = simulation.holder(ip);
        const heirs = heirsOf(simulation, ip);
        const unable = heirs.slice(0, count);
        simulation.faults.pause();
        for (const node of unable) begin(node);
        await clock.advance(1_000);
        const since = clock.monotonic();
        holder.powerOff();
        await clock.advance(5_000);
        assert.equal(simulation.holder(ip), heirs[count]);
        const silence = simulation.client.longestSilence(ip, since);
        assert.ok(silence < 1_000 + count * 700, `${silence} ms`);
        for (const node of unable) end(node);
        simulation.faults.resume();
        await clock.advance(40_000);
        assert.equal(simulation.holder(ip), heirs[count]);
        assert.equal(two.longestMs(ip), 0);
      });
    }
  }

  test(`${ip}: a new Service does not wait for a node whose agent is dead`, async () => {
    const { simulation, clock } = await started([]);
    const [first, second] = heirsOf(simulation, ip);
    first?.killAgent();
    await clock.advance(100);
    simulation.serve('web', ip);
    const two = new TwoHolders(simulation, [ip]);
    await clock.advance(3_500);
    assert.equal(simulation.holder(ip), second);
    first?.startAgent();
    await clock.advance(30_000);
    assert.equal(simulation.holder(ip), second);
    assert.equal(two.longestMs(ip), 0);
  });
}
