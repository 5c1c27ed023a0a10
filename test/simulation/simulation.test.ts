import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('when a node dies, another takes its addresses', async () => {
  const simulation = await served();
  const [holder] = simulation.holders(vip4);
  const dead = simulation.nodes.find(({ name }) => name === holder);
  dead?.powerOff();
  await simulation.clock.advance(20_000);
  const [successor, ...others] = simulation.holders(vip4);
  assert.notEqual(successor, holder);
  assert.notEqual(successor, undefined);
  assert.deepEqual(others, []);
});
