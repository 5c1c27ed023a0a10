/** Histories of who takes an address: claimants at once, networks that answer for others, API servers that do not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankNodes } from '../../src/decide/announcement/rank-nodes.ts';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import { isGroupMac } from '../../src/model/mac.ts';
import type { NeighbourFrame } from '../../src/model/neighbour-frame.ts';
import { Chance } from './chance.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';
import { TwoHolders } from './two-holders.ts';
import { Weather } from './weather.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];

async function served(options: Partial<SimulationOptions> = {}, ips: readonly Ip[] = vips) {
  const simulation = new Simulation({ seed: 1, nodes: 4, ...options });
  await simulation.start();
  simulation.serve('web', ...ips);
  await simulation.clock.advance(6_000);
  return { simulation, clock: simulation.clock, two: new TwoHolders(simulation, ips) };
}

function heirsOf({ nodes }: Simulation, ip: Ip, holder: SimulatedNode): readonly SimulatedNode[] {
  const names = rankNodes(
    ip,
    nodes.filter((node) => node !== holder).map(({ name }) => name),
  );
  return names.flatMap((name) => nodes.filter((node) => node.name === name));
}

/** As the leaves of an EVPN do: questions to everyone are answered from a cache, or go nowhere. */
function suppressArp({ segment, clock }: Simulation): void {
  new Weather(segment, { clock, chance: new Chance(1) }).suppresses = true;
}

function isQuestionFor(frame: NeighbourFrame, ip: Ip): boolean {
  if (frame.kind === 'neighbour-solicitation') return frame.target === ip;
  if (frame.kind !== 'arp' || frame.operation !== 'request') return false;
  return frame.target.ip === ip && frame.sender.ip !== ip;
}

/** As one does that takes an address in error. */
function rewriteSlots(simulation: Simulation, from: string, to: string): void {
  const url = '/api/v1/namespaces/shop/services/web';
  const { metadata } = simulation.send('GET', url);
  const annotations = Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).map(([name, text]) => [
      name,
      text.replaceAll(from, to),
    ]),
  );
  simulation.send('PATCH', url, { metadata: { annotations } });
}

for (const ip of vips) {
  for (const lateMs of [0, 50]) {
    test(`${ip}: two that take each other for dead claim it within ${lateMs} ms, and one of them has it`, async () => {
      const { simulation, clock, two } = await served();
      const { segment } = simulation;
      const holder = simulation.holder(ip);
      const [first, second] = heirsOf(simulation, ip, holder);
      // What goes to everyone passes between them, and nothing else does; the better one is heard later.
      segment.passes = (frame, from, to) => {
        const ends = [from, to];
        const isBetween = ends.includes(first?.nic ?? from) && ends.includes(second?.nic ?? from);
        return !isBetween || isGroupMac(frame.to);
      };
      segment.delayMs = (frame, from) => (from === first?.nic && isGroupMac(frame.to) ? lateMs : 0);
      await clock.advance(3_000);
      holder.powerOff();
      await clock.advance(8_000);
      assert.equal(two.reachable(ip).length, 1);
      assert.equal(two.longestMs(ip), 0);
    });
  }

  test(`${ip}: while the API server is away nobody asks for what others hold`, async () => {
    const { simulation, clock } = await served();
    const { faults, segment } = simulation;
    faults.add({ fault: { kind: 'reset' } });
    faults.breakWatches({ how: 'reset' });
    await clock.advance(30_000);
    let questions = 0;
    segment.copies = (frame) => {
      if (isQuestionFor(frame, ip)) questions += 1;
      return 1;
    };
    await clock.advance(20_000);
    assert.equal(questions, 0);
  });

  test(`${ip}: where ARP is suppressed and the API server has long been away, a dead node has one successor`, async () => {
    const { simulation, clock, two } = await served();
    suppressArp(simulation);
    simulation.faults.pause();
    await clock.advance(40_000);
    const holder = simulation.holder(ip);
    const since = clock.monotonic();
    holder.powerOff();
    await clock.advance(5_000);
    assert.equal(two.reachable(ip).length, 1);
    assert.equal(two.longestMs(ip), 0);
    assert.ok(simulation.client.longestSilence(ip, since) < 1_500);
  });

  for (const [name, options] of [
    ['with IPVS and without strictARP', { traits: { secondNic: false, ipvsIps: vips } }],
    ['where the network suppresses ARP', {}],
  ] as const) {
    test(`${ip}: ${name} a dead node has one successor, and a paused one yields to it`, async () => {
      const { simulation, clock, two } = await served(options);
      if (name.includes('suppresses')) suppressArp(simulation);
      const holder = simulation.holder(ip);
      const since = clock.monotonic();
      holder.stun();
      await clock.advance(4_000);
      const [successor] = simulation.nodes.filter((node) => node !== holder && node.holds(ip));
      assert.ok(successor !== undefined);
      assert.ok(simulation.client.longestSilence(ip, since) < 1_500);
      holder.endStun();
      await clock.advance(10_000);
      assert.equal(simulation.holder(ip).name, successor.name);
      assert.ok(two.longestMs(ip) <= 1_000, `${two.longestMs(ip)} ms`);
    });
  }

  for (const isAway of [false, true]) {
    const when = isAway ? ' while the API server is away' : '';
    test(`${ip}: with IPVS, who yielded it${when} is not taken for its holder when it is lost`, async () => {
      const traits = { secondNic: false, ipvsIps: vips };
      const { simulation, clock } = await served({ traits });
      const former = simulation.holder(ip);
      if (isAway) simulation.faults.pause();
      former.stun();
      await clock.advance(4_000);
      former.endStun();
      await clock.advance(2_000);
      const holder = simulation.holder(ip);
      assert.notEqual(holder.name, former.name);
      const since = clock.monotonic();
      holder.kernel.machine.removeAddress('eth0', `${ip}/${ip.includes(':') ? 64 : 24}`);
      await clock.advance(5_000);
      assert.equal(simulation.holders(ip).length, 1);
      assert.ok(simulation.client.longestSilence(ip, since) < 1_500);
    });
  }

  test(`${ip}: a router that answers for every address is no conflict, also to an agent that starts`, async () => {
    const { simulation, clock } = await served({ proxyArp: true });
    const holder = simulation.holder(ip);
    holder.killAgent();
    await clock.advance(1_000);
    holder.startAgent();
    await clock.advance(3_000);
    const lostAt = clock.monotonic();
    holder.kernel.machine.removeAddress('eth0', `${ip}/${ip.includes(':') ? 64 : 24}`);
    await clock.advance(3_000);
    assert.deepEqual(simulation.holders(ip), [holder.name]);
    assert.ok(simulation.client.longestSilence(ip, lostAt) < 1_500);
    const diedAt = clock.monotonic();
    holder.powerOff();
    await clock.advance(5_000);
    assert.equal(simulation.holders(ip).length, 1);
    assert.ok(simulation.client.longestSilence(ip, diedAt) < 1_500);
  });

  test(`${ip}: a node that is named by the slot, and has rebooted, asks before it takes it back`, async () => {
    const { simulation, clock, two } = await served();
    const holder = simulation.holder(ip);
    simulation.faults.pause();
    holder.powerOff();
    await clock.advance(3_000);
    const successor = simulation.holder(ip);
    holder.powerOn();
    await clock.advance(3_000);
    simulation.faults.resume();
    await clock.advance(30_000);
    assert.equal(simulation.holder(ip).name, successor.name);
    assert.equal(two.longestMs(ip), 0);
  });

  test(`${ip}: while the API server answers 500 and watches stay open, nothing moves`, async () => {
    const { simulation, clock, two } = await served();
    const holder = simulation.holder(ip);
    const since = clock.monotonic();
    simulation.faults.add({ fault: { kind: 'status', code: 500 } });
    await clock.advance(60_000);
    assert.equal(simulation.holder(ip).name, holder.name);
    simulation.faults.clear();
    await clock.advance(30_000);
    assert.equal(simulation.holder(ip).name, holder.name);
    assert.deepEqual([simulation.client.longestSilence(ip, since), two.longestMs(ip)], [0, 0]);
  });

  test(`${ip}: an agent that starts while the API server is away keeps what it has`, async () => {
    const { simulation, clock, two } = await served();
    const holder = simulation.holder(ip);
    const since = clock.monotonic();
    simulation.faults.pause();
    holder.killAgent();
    await clock.advance(1_000);
    holder.startAgent();
    // Longer than the kernel would keep it without being asked to.
    await clock.advance(330_000);
    assert.equal(simulation.holder(ip).name, holder.name);
    simulation.faults.resume();
    await clock.advance(30_000);
    assert.equal(simulation.holder(ip).name, holder.name);
    assert.deepEqual([simulation.client.longestSilence(ip, since), two.longestMs(ip)], [0, 0]);
  });
}

for (const ip of vips) {
  test(`${ip}: an agent that starts without an API server says what it has, whoever is in the slot`, async () => {
    const { simulation, clock, two } = await served();
    // The first in rank comes back, and has nothing.
    const first = simulation.holder(ip);
    first.powerOff();
    await clock.advance(3_000);
    first.powerOn();
    // And nobody remembers what was announced.
    await clock.advance(90_000);
    const holder = simulation.holder(ip);
    const named = heirsOf(simulation, ip, holder).find((node) => node !== first);
    holder.killAgent();
    rewriteSlots(simulation, holder.name, named?.name ?? '');
    await clock.advance(10);
    simulation.faults.pause();
    named?.powerOff();
    holder.startAgent();
    await clock.advance(20_000);
    assert.deepEqual(simulation.holders(ip), [holder.name]);
    assert.equal(two.longestMs(ip), 0);
  });

  test(`${ip}: what a node whose agent stands still loses, the next in rank takes, whoever watches it`, async () => {
    const { simulation, clock } = await served({ nodes: 6 });
    const holder = simulation.holder(ip);
    await clock.advance(3_000);
    holder.stall();
    await clock.advance(1_000);
    const since = clock.monotonic();
    holder.kernel.machine.removeAddress('eth0', `${ip}/${ip.includes(':') ? 64 : 24}`);
    await clock.advance(10_000);
    assert.equal(simulation.holders(ip).length, 1);
    const silentMs = simulation.client.longestSilence(ip, since);
    assert.ok(silentMs < 2_500, `${silentMs} ms`);
  });
}

test('of 200 addresses one that expired is found, and the others stay', async () => {
  const ips = Array.from({ length: 200 }, (_, index) =>
    ipOf(index < 99 ? `192.0.2.${101 + index}` : `2001:db8:1::${(index + 157).toString(16)}`),
  );
  const { simulation, clock } = await served({ nodes: 3 }, []);
  for (const [index, ip] of ips.entries()) simulation.serve(`s${index}`, ip);
  await clock.advance(10_000);
  const [lost = vips[0] ?? ips[0]] = ips;
  assert.ok(lost !== undefined);
  const before = ips.map((ip) => simulation.holder(ip).name);
  const holder = simulation.holder(lost);
  holder.stall();
  holder.kernel.machine.removeAddress('eth0', `${lost}/24`);
  await clock.advance(15_000);
  assert.notEqual(simulation.holder(lost).name, holder.name);
  assert.deepEqual(
    ips.slice(1).map((ip) => simulation.holder(ip).name),
    before.slice(1),
  );
});
