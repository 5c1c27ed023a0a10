import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOpening, noGuard } from '../../src/model/guard.ts';
import { ipOf } from '../../src/model/ip.ts';
import { Simulation } from './simulation.ts';

const vip4 = ipOf('192.0.2.100');
const vip6 = ipOf('2001:db8:1::100');
const agents = '/apis/purelb.io/v2/namespaces/purelb-system/lbnodeagents';

async function guarded() {
  const simulation = new Simulation({ seed: 1, nodes: 2 });
  const spec = { local: { guard: true } };
  const kind = { apiVersion: 'purelb.io/v2', kind: 'LBNodeAgent' };
  simulation.send('POST', agents, { ...kind, metadata: { name: 'aaa-first' }, spec });
  return simulation;
}

/** Notes of all Events with a reason. */
function eventsOf(simulation: Simulation, wanted: string): readonly unknown[] {
  const url = '/apis/events.k8s.io/v1/namespaces/purelb-system/events';
  const { items } = simulation.send('GET', url) as unknown as {
    readonly items: readonly { readonly reason: string; readonly note: string }[];
  };
  return items.filter(({ reason }) => reason === wanted).map(({ note }) => note);
}

test('an address is guarded on the node that has it, also over the death of its agent', async () => {
  const simulation = await guarded();
  await simulation.start();
  simulation.serve('web', vip4, vip6);
  await simulation.clock.advance(3_000);
  for (const ip of [vip4, vip6]) {
    for (const node of simulation.nodes) {
      const { addresses, openings } = node.filter.rules;
      assert.equal(addresses.includes(ip), node.holds(ip), `${ip} on ${node.name}`);
      assert.equal(openings.map(formatOpening).includes(`${ip} TCP 80`), node.holds(ip));
    }
  }
  const before = simulation.nodes.map(({ filter }) => filter.rules);
  for (const node of simulation.nodes) node.killAgent();
  await simulation.clock.advance(5_000);
  for (const node of simulation.nodes) node.startAgent();
  await simulation.clock.advance(10_000);
  assert.deepEqual(
    simulation.nodes.map(({ filter }) => filter.rules),
    before,
  );
});

test('a node whose kernel cannot guard says so once, and announces all the same', async () => {
  const simulation = await guarded();
  for (const node of simulation.nodes) node.filter.isSupported = false;
  await simulation.start();
  simulation.serve('web', vip4, vip6);
  await simulation.clock.advance(120_000);
  for (const ip of [vip4, vip6]) assert.equal(simulation.holders(ip).length, 1);
  const concerned = simulation.nodes.filter((node) => node.holds(vip4) || node.holds(vip6));
  assert.deepEqual(
    eventsOf(simulation, 'GuardFailed'),
    concerned.map(({ name }) => {
      return `spec.local.guard has no effect on node ${name}: this kernel has no nf_tables`;
    }),
  );
  assert.deepEqual(
    simulation.nodes.map(({ filter }) => filter.rules),
    [noGuard, noGuard],
  );
});
