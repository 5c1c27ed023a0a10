import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankNodes } from '../../src/decide/announcement/rank-nodes.ts';
import { ipOf } from '../../src/model/ip.ts';
import { Simulation } from './simulation.ts';

const vip4 = ipOf('192.0.2.100');
const vip6 = ipOf('2001:db8:1::100');

async function served(nodes = 3) {
  const simulation = new Simulation({ seed: 1, nodes });
  await simulation.start();
  simulation.serve('web', vip4, vip6);
  await simulation.clock.advance(3_000);
  return simulation;
}

test('each address is on exactly one node, and answers', async () => {
  const simulation = await served();
  for (const ip of [vip4, vip6]) {
    assert.equal(simulation.holders(ip).length, 1);
    assert.ok(simulation.client.longestSilence(ip, 2_000) < 200);
  }
});

test('no Service gets the address of a node, however many there are', () => {
  const simulation = new Simulation({ seed: 1, nodes: 99 });
  const serve = (ip: string) => () => simulation.serve('web', ip);
  assert.throws(serve('2001:db8:1::109'), /2001:db8:1::109 is an address of node 99/);
  assert.throws(serve('192.0.2.100'), RangeError);
  assert.doesNotThrow(serve('2001:db8:1::10a'));
});

test('an agent that is killed and started again loses nothing and moves nothing', async () => {
  const simulation = await served();
  const before = [vip4, vip6].map((ip) => simulation.holders(ip));
  const since = simulation.clock.monotonic();
  for (const node of simulation.nodes) node.killAgent();
  await simulation.clock.advance(60_000);
  for (const node of simulation.nodes) node.startAgent();
  await simulation.clock.advance(60_000);
  assert.deepEqual(
    [vip4, vip6].map((ip) => simulation.holders(ip)),
    before,
  );
  assert.deepEqual(
    [vip4, vip6].map((ip) => simulation.client.longestSilence(ip, since)),
    [0, 0],
  );
});

test('when a node dies another takes its addresses within a second, and only one does', async () => {
  for (const ip of [vip4, vip6]) {
    const simulation = await served(5);
    const since = simulation.clock.monotonic();
    const [holder] = simulation.holders(ip);
    simulation.nodes.find(({ name }) => name === holder)?.powerOff();
    await simulation.clock.advance(1_500);
    const successors = simulation.holders(ip);
    assert.equal(
      successors.length,
      1,
      simulation.nodes.flatMap(({ log }) => log.slice(-3)).join('\n'),
    );
    assert.notEqual(successors[0], holder);
    assert.ok(simulation.client.longestSilence(ip, since) < 1_000);
    await simulation.clock.advance(30_000);
    assert.deepEqual(simulation.holders(ip), successors);
    assert.ok(simulation.client.longestSilence(ip, since) < 1_000);
  }
});

test('a node that dies and returns moves nothing back', async () => {
  const simulation = await served(3);
  const [holder] = simulation.holders(vip4);
  const dead = simulation.nodes.find(({ name }) => name === holder);
  dead?.powerOff();
  await simulation.clock.advance(60_000);
  const successors = simulation.holders(vip4);
  const since = simulation.clock.monotonic();
  dead?.powerOn();
  await simulation.clock.advance(60_000);
  assert.deepEqual(simulation.holders(vip4), successors);
  assert.equal(simulation.client.longestSilence(vip4, since), 0);
});

test('an agent that stands still keeps its addresses, and nobody takes them', async () => {
  const simulation = await served(3);
  const before = simulation.holders(vip4);
  const since = simulation.clock.monotonic();
  const holder = simulation.nodes.find(({ name }) => name === before[0]);
  holder?.stall();
  await simulation.clock.advance(60_000);
  holder?.resume();
  await simulation.clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip4), before);
  assert.equal(simulation.client.longestSilence(vip4, since), 0);
});

test('a watcher that is cut off takes nothing', async () => {
  const simulation = await served(3);
  const before = simulation.holders(vip4);
  const other = simulation.nodes.find(({ name }) => name !== before[0]);
  const { segment } = simulation;
  segment.passes = (_frame, from, to) => from !== other?.nic && to !== other?.nic;
  await simulation.clock.advance(20_000);
  assert.deepEqual(simulation.holders(vip4), before);
  segment.passes = () => true;
  await simulation.clock.advance(20_000);
  assert.deepEqual(simulation.holders(vip4), before);
});

test('a holder whose switch port was cut has one successor, and yields when it returns', async () => {
  const simulation = await served(4);
  const [holder] = simulation.holders(vip4);
  const cut = simulation.nodes.find(({ name }) => name === holder);
  const { segment, clock } = simulation;
  segment.passes = (_frame, from, to) => from !== cut?.nic && to !== cut?.nic;
  await clock.advance(3_000);
  const [successor] = simulation.holders(vip4).filter((name) => name !== holder);
  assert.notEqual(successor, undefined);
  segment.passes = () => true;
  await clock.advance(3_000);
  assert.deepEqual(simulation.holders(vip4), [successor]);
  const since = clock.monotonic();
  await clock.advance(30_000);
  assert.deepEqual(simulation.holders(vip4), [successor]);
  assert.equal(simulation.client.longestSilence(vip4, since), 0);
});

test('when the holder and its first successor die at once, the next one takes over', async () => {
  const simulation = await served(4);
  const since = simulation.clock.monotonic();
  const [holder = ''] = simulation.holders(vip4);
  const ranked = rankNodes(
    vip4,
    simulation.nodes.map(({ name }) => name),
  );
  const [first] = ranked.filter((name) => name !== holder);
  for (const node of simulation.nodes) {
    if (node.name === holder || node.name === first) node.powerOff();
  }
  await simulation.clock.advance(2_000);
  const [second] = ranked.filter((name) => name !== holder && name !== first);
  assert.deepEqual(simulation.holders(vip4), [second]);
  assert.ok(simulation.client.longestSilence(vip4, since) < 1_000);
});
