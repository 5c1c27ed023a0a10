import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import { failoverOfManyMs } from './bounds.ts';
import { Chance } from './chance.ts';
import { Simulation } from './simulation.ts';
import { Weather } from './weather.ts';

const vip = ipOf('192.0.2.100');

async function served(nodes: number, zones = false) {
  const simulation = new Simulation({ seed: 1, nodes, zones });
  await simulation.start();
  simulation.serve('web', vip);
  await simulation.clock.advance(15_000);
  const [holder = ''] = simulation.holders(vip);
  const watchers = simulation.nodes.filter((node) =>
    node.agent?.parts.failover.watching.some((watched) => watched.holder === holder),
  );
  return { simulation, holder, watchers };
}

test('when a holder dies together with both of its watchers, others find out and take over', async () => {
  const { simulation, holder, watchers } = await served(6);
  assert.equal(watchers.length, 2);
  const since = simulation.clock.monotonic();
  for (const node of simulation.nodes) {
    if (node.name === holder || watchers.includes(node)) node.powerOff();
  }
  await simulation.clock.advance(failoverOfManyMs);
  const successors = simulation.holders(vip);
  assert.equal(successors.length, 1);
  assert.ok(simulation.client.longestSilence(vip, since) < failoverOfManyMs);
  await simulation.clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip), successors);
});

test('when a zone dies as a whole, the watchers in the other one notice at once', async () => {
  const { simulation, holder, watchers } = await served(6, true);
  const zoneOf = (name: string) => Number(name.slice('node'.length)) % 2;
  assert.ok(watchers.every(({ name }) => zoneOf(name) !== zoneOf(holder)));
  const since = simulation.clock.monotonic();
  for (const node of simulation.nodes) if (zoneOf(node.name) === zoneOf(holder)) node.powerOff();
  await simulation.clock.advance(3_000);
  assert.equal(simulation.holders(vip).length, 1);
  assert.ok(simulation.client.longestSilence(vip, since) < 2_000);
});

test('while the API server answers 500 and watches stay open, a dead node is failed over as ever', async () => {
  const { simulation, holder } = await served(4);
  const rule = simulation.faults.add({ fault: { kind: 'status', code: 500 } });
  await simulation.clock.advance(20_000);
  assert.deepEqual(simulation.holders(vip), [holder]);
  const since = simulation.clock.monotonic();
  simulation.nodes.find(({ name }) => name === holder)?.powerOff();
  await simulation.clock.advance(2_000);
  const successors = simulation.holders(vip);
  assert.equal(successors.length, 1);
  assert.ok(simulation.client.longestSilence(vip, since) < 1_500);
  rule.remove();
  await simulation.clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip), successors);
});

test('while watches stay open and say nothing, nobody takes the living for dead', async () => {
  const { simulation, holder } = await served(5);
  simulation.faults.holdWatches();
  await simulation.clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip), [holder]);
  simulation.nodes.find(({ name }) => name === holder)?.powerOff();
  await simulation.clock.advance(1_500);
  assert.equal(simulation.holders(vip).length, 1);
});

test('when the API server goes away nobody takes over from the living, and one from the dead', async () => {
  const { simulation, holder } = await served(5);
  const rule = simulation.faults.add({ fault: { kind: 'reset' } });
  simulation.faults.breakWatches({ how: 'reset' });
  await simulation.clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip), [holder]);
  simulation.nodes.find(({ name }) => name === holder)?.powerOff();
  await simulation.clock.advance(1_500);
  const successors = simulation.holders(vip);
  assert.equal(successors.length, 1);
  rule.remove();
  await simulation.clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip), successors);
});

test('an agent that is restarted while the API server is away keeps what it holds', async () => {
  const { simulation, holder } = await served(4);
  const since = simulation.clock.monotonic();
  const rule = simulation.faults.add({ fault: { kind: 'reset' } });
  simulation.faults.breakWatches({ how: 'reset' });
  const node = simulation.nodes.find(({ name }) => name === holder);
  node?.killAgent();
  await simulation.clock.advance(3_000);
  node?.startAgent();
  await simulation.clock.advance(200_000);
  rule.remove();
  await simulation.clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip), [holder]);
  assert.equal(simulation.client.longestSilence(vip, since), 0);
});

test('a node that the slot names, and that was rebooted, asks the wire and takes nothing back', async () => {
  const { simulation, holder } = await served(4);
  const rule = simulation.faults.add({ match: { verb: 'patch' }, fault: { kind: 'reset' } });
  const node = simulation.nodes.find(({ name }) => name === holder);
  node?.powerOff();
  await simulation.clock.advance(5_000);
  const successors = simulation.holders(vip);
  assert.ok(simulation.slots().some((slot) => slot.includes(`${holder},`)));
  node?.powerOn();
  await simulation.clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip), successors);
  rule.remove();
  await simulation.clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip), successors);
});

for (const ip of [vip, ipOf('2001:db8:1::100')]) {
  test(`${ip}: in a network that suppresses ARP nobody takes what a node without an agent holds`, async () => {
    const simulation = new Simulation({ seed: 1, nodes: 4 });
    const { segment, clock } = simulation;
    new Weather(segment, { clock, chance: new Chance(1) }).suppresses = true;
    await simulation.start();
    simulation.serve('web', ip);
    await clock.advance(15_000);
    const before = simulation.holders(ip);
    simulation.nodes.find(({ name }) => name === before[0])?.killAgent();
    await clock.advance(60_000);
    assert.deepEqual(simulation.holders(ip), before);
  });
}

test('the two sides of a partition do not fight over the slot', async () => {
  const { simulation, holder } = await served(4);
  const { segment, clock } = simulation;
  const weather = new Weather(segment, { clock, chance: new Chance(1) });
  const others = simulation.nodes.filter(({ name }) => name !== holder);
  for (const node of simulation.nodes.filter((one) => one.name === holder || one === others[0])) {
    weather.far.add(node);
  }
  let writes = 0;
  simulation.onWrite = (method, url) => {
    if (method === 'PATCH' && url.includes('/services/')) writes += 1;
  };
  await clock.advance(4_000);
  assert.equal(simulation.holders(vip).length, 2);
  assert.ok(writes > 0 && writes < 20, `${writes} writes`);
  weather.far.clear();
  await clock.advance(10_000);
  assert.equal(simulation.holders(vip).length, 1);
});
