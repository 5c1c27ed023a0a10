/** Histories of agents that do not come back: the next node takes over before the kernel drops an address. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankNodes } from '../../src/decide/announcement/rank-nodes.ts';
import { ipOf } from '../../src/model/ip.ts';
import { Simulation } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];
const lifetimeSeconds = 60;

async function served({ validLifetime = lifetimeSeconds, restartGrace = '30s', nodes = 3 } = {}) {
  const simulation = new Simulation({ seed: 1, nodes });
  simulation.configure(validLifetime, { restartGrace });
  await simulation.start();
  simulation.serve('web', ...vips);
  await simulation.clock.advance(3_000);
  return { simulation, clock: simulation.clock, two: new TwoHolders(simulation, vips) };
}

for (const ip of vips) {
  test(`${ip}: an agent that was killed and never comes back has a successor before its kernel lets go`, async () => {
    const { simulation, clock, two } = await served();
    // Half of the lifetime later all of them are refreshed.
    await clock.advance(37_000);
    const former = simulation.holder(ip);
    const since = clock.monotonic();
    former.killAgent();
    await clock.advance((lifetimeSeconds / 2 - 8) * 1000);
    assert.equal(simulation.holder(ip).name, former.name);
    await clock.advance((lifetimeSeconds / 2 + 16) * 1000);
    assert.notEqual(simulation.holder(ip).name, former.name);
    assert.equal(simulation.client.longestSilence(ip, since), 0);
    const ms = two.longestMs(ip);
    assert.ok(ms > 300 && ms <= 1_000, `${ms} ms`);
  });

  test(`${ip}: an agent that was stopped and never comes back has one before the grace ends`, async () => {
    const { simulation, clock, two } = await served();
    const former = simulation.holder(ip);
    const since = clock.monotonic();
    const stopping = former.stopAgent();
    await clock.advance(20_000);
    await stopping;
    assert.equal(simulation.holder(ip).name, former.name);
    await clock.advance(20_000);
    assert.notEqual(simulation.holder(ip).name, former.name);
    assert.equal(simulation.client.longestSilence(ip, since), 0);
    const ms = two.longestMs(ip);
    assert.ok(ms > 500 && ms <= 2_200, `${ms} ms`);
  });

  test(`${ip}: an agent that stands still for longer than the lifetime finds out before it adds anything`, async () => {
    const { simulation, clock, two } = await served();
    const stalled = simulation.holder(ip);
    const since = clock.monotonic();
    stalled.stall();
    await clock.advance(2 * lifetimeSeconds * 1000);
    const successor = simulation.holder(ip);
    assert.notEqual(successor.name, stalled.name);
    const before = two.longestMs(ip);
    stalled.resume();
    await clock.advance(30_000);
    assert.equal(simulation.holder(ip).name, successor.name);
    assert.equal(simulation.client.longestSilence(ip, since), 0);
    assert.equal(two.longestMs(ip), before);
    assert.ok(before <= 1_200, `${before} ms`);
  });

  test(`${ip}: one that wakes while its successor takes over yields`, async () => {
    const { simulation, clock, two } = await served();
    const stalled = simulation.holder(ip);
    const since = clock.monotonic();
    stalled.stall();
    for (let ms = 0; two.longestMs(ip) < 300; ms += 50) {
      assert.ok(ms < 2 * lifetimeSeconds * 1000, 'nobody takes over');
      await clock.advance(50);
    }
    stalled.resume();
    await clock.advance(10_000);
    assert.notEqual(simulation.holder(ip).name, stalled.name);
    assert.equal(simulation.client.longestSilence(ip, since), 0);
    assert.ok(two.longestMs(ip) <= 500, `${two.longestMs(ip)} ms`);
  });

  test(`${ip}: what stays for ever is never taken from a kernel that answers`, async () => {
    const { simulation, clock, two } = await served({ validLifetime: 0 });
    const former = simulation.holder(ip);
    former.killAgent();
    await clock.advance(400_000);
    assert.equal(simulation.holder(ip).name, former.name);
    assert.equal(two.longestMs(ip), 0);
  });

  test(`${ip}: a node that reaches no API server keeps what it holds for as long as it promised, and no packet is lost`, async () => {
    const { simulation, clock, two } = await served();
    const former = simulation.holder(ip);
    const since = clock.monotonic();
    former.cutFromApi();
    await clock.advance((lifetimeSeconds / 2 - 8) * 1000);
    assert.equal(simulation.holder(ip).name, former.name);
    await clock.advance(2 * lifetimeSeconds * 1000);
    assert.notEqual(simulation.holder(ip).name, former.name);
    assert.equal(simulation.client.longestSilence(ip, since), 0);
    assert.ok(two.longestMs(ip) <= 1_200, `${two.longestMs(ip)} ms`);
  });
}

for (const ip of vips) {
  test(`${ip}: a successor that started after the owner's agent died does not know the end, and the next one takes over`, async () => {
    const { simulation, clock, two } = await served({ nodes: 6 });
    await clock.advance(61_000);
    const former = simulation.holder(ip);
    const others = simulation.nodes.filter((node) => node !== former);
    const [next] = rankNodes(
      ip,
      others.map(({ name }) => name),
    );
    const late = others.find(({ name }) => name === next);
    const since = clock.monotonic();
    const stopping = late?.stopAgent();
    await clock.advance(400);
    await stopping;
    former.stall();
    await clock.advance(8_000);
    late?.startAgent();
    await clock.advance(2 * lifetimeSeconds * 1000);
    assert.notEqual(simulation.holder(ip).name, former.name);
    const ms = simulation.client.longestSilence(ip, since);
    assert.ok(ms <= 1_000, `${ms} ms without an owner`);
    assert.ok(two.longestMs(ip) <= 1_200, `${two.longestMs(ip)} ms with two`);
  });
}
