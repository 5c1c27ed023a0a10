/** Histories of agents of two versions, as while all of them are upgraded in turn. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import { PlannedMove } from './planned-move.ts';
import { Simulation } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];

async function served() {
  const simulation = new Simulation({ seed: 1, nodes: 4 });
  for (const node of simulation.nodes) node.isFormerVersion = true;
  await simulation.start();
  simulation.serve('web', ...vips);
  await simulation.clock.advance(5_000);
  return { simulation, clock: simulation.clock, two: new TwoHolders(simulation, vips) };
}

function versionOf(simulation: Simulation, node: string): string | undefined {
  const url = `/apis/coordination.k8s.io/v1/namespaces/purelb-system/leases/purelb-node-${node}`;
  const links = simulation.send('GET', url).metadata.annotations?.['purelb.io/links'];
  return links?.match(/"version":(\d+)/)?.[1];
}

for (const ip of vips) {
  test(`${ip}: while agents are upgraded in turn nothing moves and no packet is lost`, async () => {
    const { simulation, clock, two } = await served();
    const holder = simulation.holder(ip);
    const since = clock.monotonic();
    for (const node of simulation.nodes) {
      assert.equal(versionOf(simulation, node.name), '1');
      const stopping = node.stopAgent();
      await clock.advance(3_000);
      await stopping;
      node.isFormerVersion = false;
      node.startAgent();
      await clock.advance(8_000);
      assert.equal(versionOf(simulation, node.name), '2');
      assert.equal(simulation.holder(ip).name, holder.name);
    }
    assert.deepEqual([simulation.client.longestSilence(ip, since), two.longestMs(ip)], [0, 0]);
  });

  for (const upgraded of [1, 2, 3]) {
    test(`${ip}: with ${upgraded} of 4 agents upgraded a dead node has one successor`, async () => {
      const { simulation, clock, two } = await served();
      for (const node of simulation.nodes.slice(0, upgraded)) {
        node.killAgent();
        node.isFormerVersion = false;
        node.startAgent();
      }
      await clock.advance(15_000);
      const since = clock.monotonic();
      simulation.holder(ip).powerOff();
      await clock.advance(2_000);
      assert.equal(two.reachable(ip).length, 1);
      await clock.advance(10_000);
      assert.equal(two.longestMs(ip), 0);
      assert.ok(simulation.client.longestSilence(ip, since) < 1_500);
    });
  }
}

test('what is moved on purpose between versions is moved by plain failover, and has one holder', async () => {
  const move = await PlannedMove.open({ nodes: 4 });
  const [ip = ipOf('192.0.2.100')] = move.ips;
  const holder = move.holderOf(ip);
  for (const node of move.others(holder)) {
    node.killAgent();
    node.isFormerVersion = true;
    node.startAgent();
  }
  await move.live(15_000);
  move.begin();
  move.label(holder, '');
  await move.live(10_000);
  move.assertOneHolder();
  assert.notEqual(move.holderOf(ip), holder);
  assert.equal(move.longestOverlapMs, 0);
  move.assertSilence(1_500);
});
