/** The attacks that are drawn: that they are, and single ones that would show at once what they do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import { attacks, type FaultKind, faultKinds } from './fault-kinds.ts';
import { type HistoryPlan, type PlannedFault, planSeed } from './fault-plan.ts';
import { History, runHistory } from './history.ts';

/** About as many as the usual campaign has. */
const seeds = Array.from({ length: 150 }, (_, index) => index + 1);

function planOf(...faults: readonly PlannedFault[]): HistoryPlan {
  const off = { zones: false, suppression: false, secondNic: false, ipvs: false };
  const traits = { ...off, apiInBand: false, proxyArp: false, shortLifetimes: false, nodes: 4 };
  return { seed: 1, traits, bursts: [{ faults, calmMs: 60_000 }] };
}

function fault(kind: FaultKind, node: number, at: number, lastsMs: number): PlannedFault {
  return { kind, node, at, lastsMs, dice: 4 };
}

test('every kind of fault is drawn in the usual campaign', () => {
  const drawn = new Set(
    seeds.flatMap((seed) => planSeed(seed).bursts.flatMap(({ faults }) => faults)).map(kindOf),
  );
  assert.deepEqual(
    faultKinds.filter((kind) => !drawn.has(kind)),
    [],
  );
});

test('attacks come beside the faults of a burst and take none of their places', () => {
  const bursts = seeds.flatMap((seed) => planSeed(seed).bursts);
  const isAttack = ({ kind }: PlannedFault) => attacks.some((attack) => attack === kind);
  for (const { faults } of bursts) {
    const first = faults.findIndex(isAttack);
    assert.ok(first === -1 || faults.slice(first).every(isAttack));
  }
  const attacked = bursts.filter(({ faults }) => faults.some(isAttack));
  assert.ok(attacked.length > bursts.length / 12 && attacked.length < bursts.length / 6);
});

for (const kind of attacks) {
  test(`${kind}: each node loses power in turn, and every address has one owner in time`, async () => {
    const deaths = [1, 2, 3, 4].map((node) => fault('power-loss', node, node * 20_000, 6_000));
    const { violations, measurements } = await runHistory(
      planOf(fault(kind, 2, 15_000, 80_000), ...deaths),
    );
    assert.deepEqual(violations, []);
    assert.equal(measurements.injected[kind], 1);
    assert.equal(measurements.injected['power-loss'], 4);
  });
}

test('an agent that puts an address on a link that no group allows breaks an invariant', () => {
  const history = new History(planOf(), {});
  const [node] = history.simulation.nodes;
  const rest = { link: 'eth0', validSeconds: 300, preferredSeconds: 300, noPrefixRoute: false };
  for (const address of ['198.51.100.1/24', '192.0.2.100/2', '192.0.2.100/24']) {
    const [ip = '', length] = address.split('/');
    const wanted = { ...rest, ip: ipOf(ip), prefixLength: Number(length), noDad: true };
    node?.onChanges([{ kind: 'add', address: wanted }]);
  }
  const told = history.report().violations.map((line) => line.replace(/^.*node1/, 'node1'));
  assert.deepEqual(told, [
    'node1 wants to add 198.51.100.1/24 on eth0, which no group allows',
    'node1 wants to add 192.0.2.100/2 on eth0, which no group allows',
  ]);
});

function kindOf({ kind }: PlannedFault): FaultKind {
  return kind;
}
