/** Histories of nodes that lose their way to the API server while the other nodes keep theirs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import { isGroupMac, type Mac } from '../../src/model/mac.ts';
import { Chance } from './chance.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';
import { Weather } from './weather.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];
/** Long after every promise in a Lease has ended. */
const outageMs = 1_200_000;

interface Options extends Partial<SimulationOptions> {
  /** Of all agents; 0 is none. */
  readonly key?: number;
}

async function served(lifetimeSeconds: number, { key = 1, ...more }: Options = {}) {
  const simulation = new Simulation({ seed: 1, nodes: 3, lifetimeSeconds, ...more });
  for (const node of simulation.nodes) node.keys.set(key);
  await simulation.start();
  simulation.serve('web', ...vips);
  await simulation.clock.advance(3_000);
  return { simulation, clock: simulation.clock, two: new TwoHolders(simulation, vips) };
}

type Served = Awaited<ReturnType<typeof served>>;

/** The owner loses its way to the API server, and its agent restarts. */
async function restartCutOff({ simulation, clock }: Served, ip: Ip) {
  const former = simulation.holder(ip);
  former.cutFromApi();
  former.killAgent();
  await clock.advance(1_000);
  former.startAgent();
  return former;
}

/** What goes to everyone does not reach the node. */
function deafen({ segment }: Simulation, mac: Mac): () => void {
  const { passes } = segment;
  segment.passes = (frame, from, to) =>
    passes(frame, from, to) && !(to.mac === mac && isGroupMac(frame.to));
  return () => {
    segment.passes = passes;
  };
}

/** When the way to the API server is lost, and when the agent dies, in ms from the time of the next refresh. */
const deaths: readonly (readonly [string, number, number])[] = [
  ['while its Lease cannot be renewed', -8_000, 2_000],
  ['before it knows that its Lease cannot be renewed', -1_000, 1_500],
];

/** In seconds, of the lifetime in the kernel. */
function leftOf({ kernel }: SimulatedNode, ip: Ip): number {
  const held = kernel.machine.addresses().filter((each) => each.ip === ip);
  return Math.max(...held.map(({ validSeconds }) => validSeconds));
}

for (const lifetimeSeconds of [60, 300]) {
  for (const ip of vips) {
    const what = `${ip}, lifetime ${lifetimeSeconds} s`;

    for (const [how, key] of [
      ['', 1],
      [', without a key', 0],
    ] as const) {
      test(`${what}${how}: an agent that restarts without a way to the API server, which the others have, yields to its successor`, async () => {
        const world = await served(lifetimeSeconds, { key });
        const { simulation, clock, two } = world;
        const since = clock.monotonic();
        const former = await restartCutOff(world, ip);
        await clock.advance(outageMs);
        assert.notEqual(simulation.holder(ip).name, former.name);
        assert.ok(two.longestMs(ip) <= 1_000, `two owners for ${two.longestMs(ip)} ms`);
        assert.equal(simulation.client.longestSilence(ip, since), 0);
      });
    }

    test(`${what}: an agent that restarts without a way to the API server yields to a successor without a key after a minute`, async () => {
      const world = await served(lifetimeSeconds);
      const { simulation, clock, two } = world;
      const former = await restartCutOff(world, ip);
      for (const node of simulation.nodes) {
        if (node === former) continue;
        node.killAgent();
        node.keys.set(0);
        node.startAgent();
      }
      await clock.advance(outageMs);
      assert.notEqual(simulation.holder(ip).name, former.name);
      assert.ok(two.longestMs(ip) <= 61_500, `two owners for ${two.longestMs(ip)} ms`);
    });

    test(`${what}: it yields at its next extension if it missed the announcements`, async () => {
      const world = await served(lifetimeSeconds);
      const { simulation, clock, two } = world;
      const former = await restartCutOff(world, ip);
      const undo = deafen(simulation, former.nic.mac);
      await clock.advance(lifetimeSeconds * 1000);
      undo();
      await clock.advance(outageMs);
      assert.notEqual(simulation.holder(ip).name, former.name);
      assert.ok(two.longestMs(ip) <= 121_000, `two owners for ${two.longestMs(ip)} ms`);
    });

    test(`${what}: an agent that lost its way to the API server and missed its successor's announcements finds it at its next extension`, async () => {
      const { simulation, clock, two } = await served(lifetimeSeconds);
      const former = simulation.holder(ip);
      former.cutFromApi();
      const undo = deafen(simulation, former.nic.mac);
      await clock.advance(lifetimeSeconds * 1000);
      undo();
      await clock.advance(outageMs);
      assert.equal(simulation.holders(ip).length, 1);
      const limitMs = lifetimeSeconds * 500 + 2_000;
      assert.ok(two.longestMs(ip) <= limitMs, `two owners for ${two.longestMs(ip)} ms`);
    });

    for (const [when, lostMs, diesMs] of deaths) {
      test(`${what}: an agent that dies ${when} leaves two owners for no longer than usual`, async () => {
        const { simulation, clock, two } = await served(lifetimeSeconds);
        const former = simulation.holder(ip);
        const since = clock.monotonic();
        const refreshMs = (leftOf(former, ip) - lifetimeSeconds / 2) * 1000;
        await clock.advance(refreshMs + lostMs);
        former.cutFromApi();
        await clock.advance(diesMs - lostMs);
        former.killAgent();
        await clock.advance(lifetimeSeconds * 1000);
        assert.notEqual(simulation.holder(ip).name, former.name);
        assert.ok(two.longestMs(ip) <= 1_500, `two owners for ${two.longestMs(ip)} ms`);
        assert.equal(simulation.client.longestSilence(ip, since), 0);
      });
    }

    test(`${what}: agents that run on while the API server is away for all of them keep what they hold`, async () => {
      const { simulation, clock, two } = await served(lifetimeSeconds);
      const holder = simulation.holder(ip);
      const since = clock.monotonic();
      simulation.faults.pause();
      await clock.advance(outageMs);
      assert.equal(simulation.holder(ip).name, holder.name);
      const left = leftOf(holder, ip);
      assert.ok(left <= 30, `${left} s left, of which nobody can know`);
      simulation.faults.resume();
      await clock.advance(30_000);
      assert.ok(leftOf(holder, ip) > lifetimeSeconds / 2, 'the lifetime is extended again');
      assert.deepEqual([simulation.client.longestSilence(ip, since), two.longestMs(ip)], [0, 0]);
    });
  }
}

const networks: readonly (readonly [string, Partial<SimulationOptions>, boolean])[] = [
  ['where the network suppresses ARP', {}, true],
  ['with IPVS and without strictARP', { traits: { secondNic: false, ipvsIps: vips } }, false],
  ['with a router that answers for every address', { proxyArp: true }, false],
];

for (const [network, options, suppresses] of networks) {
  const serve = async () => {
    const world = await served(60, options);
    const { segment, clock } = world.simulation;
    if (suppresses) new Weather(segment, { clock, chance: new Chance(1) }).suppresses = true;
    return world;
  };

  for (const ip of vips) {
    test(`${ip}: ${network}, a restarted agent that alone cannot reach the API server yields to its successor`, async () => {
      const world = await serve();
      const { simulation, clock, two } = world;
      const former = await restartCutOff(world, ip);
      await clock.advance(outageMs);
      assert.notEqual(simulation.holder(ip).name, former.name);
      assert.ok(two.longestMs(ip) <= 1_000, `two owners for ${two.longestMs(ip)} ms`);
    });

    test(`${ip}: ${network}, agents that restart while the API server is away for all of them keep what they hold`, async () => {
      const { simulation, clock, two } = await serve();
      const holder = simulation.holder(ip);
      const since = clock.monotonic();
      simulation.faults.pause();
      for (const node of simulation.nodes) node.killAgent();
      await clock.advance(1_000);
      for (const node of simulation.nodes) node.startAgent();
      await clock.advance(outageMs);
      assert.equal(simulation.holder(ip).name, holder.name);
      simulation.faults.resume();
      await clock.advance(30_000);
      assert.equal(simulation.holder(ip).name, holder.name);
      assert.deepEqual([simulation.client.longestSilence(ip, since), two.longestMs(ip)], [0, 0]);
    });
  }
}
