import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ip } from '../../model/ip.ts';
import { clusterNode, familySamples, member } from './cluster.fixture.ts';
import type { Liveness } from './judge-members.ts';
import { service } from './pool.fixture.ts';
import { configOf, now, type SnapshotSpec, snapshotOf } from './snapshot.fixture.ts';
import { type AbsentSince, sweepSlots } from './sweep-slots.ts';

const names = ['a', 'b', 'c'];
const alive = (...living: readonly string[]) =>
  new Map(
    names.map((name): [string, Liveness] => [name, living.includes(name) ? 'alive' : 'expired']),
  );

/** Node `c` died; the others are alive, and may not hold anything. */
const barred: SnapshotSpec = {
  electorate: {
    liveness: alive('a', 'b'),
    nodes: names.map((name) => clusterNode(name, { isExcluded: name !== 'c' })),
  },
};

const nobody: AbsentSince = new Map();

for (const { family, vip, vip2 } of familySamples) {
  const key = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';
  const web = (slots: string, ips: readonly Ip[] = [vip]) =>
    service('web', ips, { annotations: { [key]: slots } });
  const sweep = (spec: SnapshotSpec, at = now, since: AbsentSince = nobody) => {
    const services = spec.services ?? [web(`c,eth0,${vip}`)];
    return sweepSlots({ ...snapshotOf({ ...spec, services }), now: at }, since);
  };
  /** Which of the living sweeps, `after` ms without an agent on `c`. */
  const sweepers = (spec: SnapshotSpec, after: number) =>
    ['a', 'b'].filter((me) => {
      const view = { ...spec, electorate: { ...spec.electorate, me } };
      const { swept, littered } = sweep(view, now + after, new Map([['c', now]]));
      return swept.size + littered.size > 0;
    });

  test(`${family}: spec 19 #46: the slot of a dead node goes when its kernel has dropped the address`, () => {
    const first = sweep(barred);
    assert.deepEqual([[...first.swept], [...first.absentSince]], [[], [['c', now]]]);
    assert.equal(first.wakeAt, now + 300_000);
    assert.deepEqual(sweepers(barred, 299_000), []);
    assert.equal(sweepers(barred, 300_000).length, 1);
  });

  test(`${family}: exactly one node takes it out, and it is told which slot`, () => {
    const [me = ''] = sweepers(barred, 300_000);
    const view = { ...barred, electorate: { ...barred.electorate, me } };
    const { swept } = sweep(view, now + 300_000, new Map([['c', now]]));
    assert.deepEqual([...swept], [`shop/web ${vip} c`]);
  });

  test(`${family}: it stays where another node will write its own`, () => {
    const usual = { electorate: { liveness: alive('a', 'b') } };
    assert.deepEqual(sweepers(usual, 400_000), []);
    const members = names.map((name) => member(name, { failing: [vip] }));
    const failing = {
      electorate: { liveness: alive('a', 'b'), members, myFailing: new Set([vip]) },
    };
    assert.equal(sweepers(failing, 400_000).length, 1);
  });

  test(`${family}: it goes at once with its Node, and where the Service has another address`, () => {
    const nodes = ['a', 'b'].map((name) => clusterNode(name, { isExcluded: true }));
    const members = ['a', 'b'].map((name) => member(name));
    assert.equal(sweepers({ electorate: { nodes, members } }, 0).length, 1);
    const moved = {
      electorate: { liveness: alive('a', 'b') },
      services: [web(`c,eth0,${vip}`, [vip2])],
    };
    assert.equal(sweepers(moved, 0).length, 1);
  });

  test(`${family}: a kernel that keeps addresses for ever keeps their slots`, () => {
    const config = configOf({ addressConfig: { localInterface: { validLifetime: 0 } } });
    assert.deepEqual(sweepers({ ...barred, config }, 86_400_000), []);
    const longer = configOf({ addressConfig: { localInterface: { validLifetime: 600 } } });
    assert.deepEqual(sweepers({ ...barred, config: longer }, 500_000), []);
    assert.equal(sweepers({ ...barred, config: longer }, 600_000).length, 1);
  });

  test(`${family}: nodes that live keep their slots, and one that returns is forgotten`, () => {
    const { swept, absentSince, wakeAt } = sweep({}, now, new Map([['c', 0]]));
    assert.deepEqual([swept.size, absentSince.size, wakeAt], [0, 0, Infinity]);
  });
}
