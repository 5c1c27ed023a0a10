/** Clusters of nodes that each decide alone, through faults: who holds what in the end, and what moved. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Ip } from '../../model/ip.ts';
import { familySamples } from './cluster.fixture.ts';
import { World, type WorldNode } from './cluster-world.fixture.ts';
import { rankNodes } from './rank-nodes.ts';

const vips = familySamples.flatMap(({ vips: list }) => list.slice(0, 4));
const names = ['a', 'b', 'c', 'd'];

async function worldWith(...ips: readonly Ip[]): Promise<World> {
  const world = new World(names);
  for (const ip of ips) world.toggleService(ip);
  await world.settle();
  return world;
}

function nodeOf(world: World, name: string | undefined): WorldNode {
  const node = world.nodes.find((one) => one.name === name);
  if (node === undefined) throw new Error(`no node ${name}`);
  return node;
}

for (const { family, vip } of familySamples) {
  const holderOf = async (world: World) => {
    const holders = await world.holders(vip);
    assert.equal(holders.length, 1, `holders: ${holders.join()}`);
    return nodeOf(world, holders[0]);
  };

  test(`${family}: an address is on one node, and on none when its Service is gone`, async () => {
    const world = await worldWith(vip);
    await holderOf(world);
    world.toggleService(vip);
    await world.settle();
    assert.deepEqual(await world.holders(vip), []);
  });

  test(`${family}: a node that loses power loses its address to another, and does not get it back`, async () => {
    const world = await worldWith(vip);
    const first = await holderOf(world);
    first.powerOff();
    await world.settle();
    const second = await holderOf(world);
    assert.notEqual(second, first);
    first.start();
    await world.settle();
    assert.equal(await holderOf(world), second);
  });

  test(`${family}: F7: an agent that dies and returns moves nothing`, async () => {
    const world = await worldWith(vip);
    const holder = await holderOf(world);
    const before = world.log.length;
    holder.stopAgent();
    await world.settle();
    assert.equal(await holderOf(world), holder);
    holder.start();
    await world.settle();
    assert.equal(await holderOf(world), holder);
    assert.deepEqual(world.log.slice(before), []);
  });

  test(`${family}: what a dead agent's kernel held is taken over when its node loses power`, async () => {
    const world = await worldWith(vip);
    const first = await holderOf(world);
    first.stopAgent();
    await world.settle();
    first.powerOff();
    await world.settle();
    assert.notEqual(await holderOf(world), first);
  });

  test(`${family}: F14: a cable that is pulled moves the address; plugged in again, it brings no second holder`, async () => {
    const world = await worldWith(vip);
    const first = await holderOf(world);
    first.plug(false);
    await world.settle();
    const second = await holderOf(world);
    assert.notEqual(second, first);
    first.plug(true);
    await world.settle();
    assert.equal(await holderOf(world), second);
  });

  test(`${family}: spec 19 #29: a winner that cannot add the address gives way, and does not take it back`, async () => {
    const world = await worldWith();
    const [first = '', second] = rankNodes(vip, names);
    nodeOf(world, first).break(true);
    world.toggleService(vip);
    await world.settle();
    assert.equal((await holderOf(world)).name, second);
    const before = world.log.length;
    nodeOf(world, first).break(false);
    await world.settle();
    assert.equal((await holderOf(world)).name, second);
    assert.deepEqual(world.log.slice(before), []);
  });

  test(`${family}: where every node failed, the first that can takes the address`, async () => {
    const world = await worldWith();
    for (const node of world.nodes) node.break(true);
    world.toggleService(vip);
    await world.settle();
    assert.deepEqual(await world.holders(vip), []);
    nodeOf(world, 'c').break(false);
    await world.settle();
    assert.equal((await holderOf(world)).name, 'c');
  });

  test(`${family}: a holder that loses the address and cannot add it again gives way`, async () => {
    const world = await worldWith(vip);
    const first = await holderOf(world);
    first.break(true);
    const held = (await first.kernel.addresses()).filter(({ ip }) => ip === vip);
    await first.kernel.apply(held.map((address) => ({ kind: 'remove', address })));
    await world.settle();
    assert.notEqual(await holderOf(world), first);
  });

  test(`${family}: design 4.13: the condition follows the address`, async () => {
    const world = await worldWith(vip);
    const first = await holderOf(world);
    assert.equal(world.conditionOf(vip), `True Announced: ${vip} by ${first.name} on eth0`);
    first.powerOff();
    await world.settle();
    const { name } = await holderOf(world);
    assert.equal(world.conditionOf(vip), `True Announced: ${vip} by ${name} on eth0`);
    for (const node of world.nodes) node.exclude(true);
    await world.settle();
    assert.match(world.conditionOf(vip), /^False NoEligibleNode: .* is not announced: /);
  });

  test(`${family}: F5: a node that is excluded gives its address up`, async () => {
    const world = await worldWith(vip);
    const first = await holderOf(world);
    first.exclude(true);
    await world.settle();
    const second = await holderOf(world);
    assert.notEqual(second, first);
    first.exclude(false);
    await world.settle();
    assert.equal(await holderOf(world), second);
  });
}

type Fault = { readonly kind: string; readonly run: (node: WorldNode) => void };

const faults: readonly Fault[] = [
  { kind: 'power off', run: (node) => node.powerOff() },
  { kind: 'agent dies', run: (node) => node.stopAgent() },
  { kind: 'start', run: (node) => node.start() },
  { kind: 'unplug', run: (node) => node.plug(false) },
  { kind: 'plug', run: (node) => node.plug(true) },
  { kind: 'exclude', run: (node) => node.exclude(true) },
  { kind: 'include', run: (node) => node.exclude(false) },
  { kind: 'break', run: (node) => node.break(true) },
  { kind: 'mend', run: (node) => node.break(false) },
];

const anyStep = fc.oneof(
  fc.record({ fault: fc.constantFrom(...faults), at: fc.nat(3) }, { noNullPrototype: true }),
  fc.record({ ip: fc.constantFrom(...vips) }, { noNullPrototype: true }),
);

test('invariants 2, 3 and 5: through any faults there is one holder, and only need moves it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 8 }), async (steps) => {
      const world = await worldWith(...vips.slice(0, 5));
      for (const step of steps) {
        const before = await holdersOf(world);
        if ('ip' in step) await toggle(world, step.ip);
        else step.fault.run(nodeOf(world, names[step.at]));
        await world.settle();
        for (const ip of vips) await checkHolder(world, ip, before.get(ip));
        const said = world.log.length;
        await world.settle();
        assert.equal(world.log.length, said, 'settling again changes nothing');
      }
    }),
    { numRuns: 40 },
  );
});

/** The allocator keeps back an address that a dead agent's kernel still holds. */
async function toggle(world: World, ip: Ip): Promise<void> {
  const holders = await world.holders(ip);
  if (world.hasService(ip) || holders.length === 0) world.toggleService(ip);
}

async function holdersOf(world: World): Promise<ReadonlyMap<Ip, string | undefined>> {
  const entries: [Ip, string | undefined][] = [];
  for (const ip of vips) entries.push([ip, (await world.holders(ip))[0]]);
  return new Map(entries);
}

async function checkHolder(world: World, ip: Ip, before: string | undefined): Promise<void> {
  const holders = await world.holders(ip);
  // What a dead agent left is held by its kernel until its lifetime ends, wanted or not.
  const orphans = holders.filter((name) => !nodeOf(world, name).hasAgent);
  if (!world.hasService(ip)) return assert.deepEqual(holders, orphans, `${ip} is gone`);
  assert.ok(holders.length <= 1, `${ip} has holders ${holders.join()}`);
  const isPossible = world.nodes.some(({ isEligible, isBroken }) => isEligible && !isBroken);
  if (isPossible || orphans.length > 0) assert.equal(holders.length, 1, `${ip} has no holder`);
  if (before !== undefined && nodeOf(world, before).isEligible) {
    assert.deepEqual(holders, [before], `${ip} moved without need`);
  }
}
