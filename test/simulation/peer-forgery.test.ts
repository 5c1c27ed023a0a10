/** Histories of a liar on the network: frames in the name of members, and packets that say to come from them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey } from '../../src/agent/key-ring.ts';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import { encodeHint, type Hint } from '../../src/wire/hint.ts';
import { encodeSignedHint } from '../../src/wire/signed-hint.ts';
import { ipsOfNode } from './address-plan.ts';
import { plugReplier } from './attack-actions.ts';
import { forge } from './forger.ts';
import { PacketForger } from './packet-forger.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8:1::100')];

interface Options extends Partial<SimulationOptions> {
  /** Of all agents; 0 is none. */
  readonly key?: number;
}

async function served({ key = 1, ...options }: Options = {}) {
  const simulation = new Simulation({ seed: 1, nodes: 4, ...options });
  for (const node of simulation.nodes) node.keys.set(key);
  await simulation.start();
  simulation.serve('web', ...vips);
  await simulation.clock.advance(6_000);
  return { simulation, clock: simulation.clock, forger: new PacketForger(simulation) };
}

const others = ({ nodes }: Simulation, node: SimulatedNode) => nodes.filter((one) => one !== node);

/** Announces the address in their names, also as the sender of the frames. */
function spoof(simulation: Simulation, ip: Ip, nodes: readonly SimulatedNode[], everyMs = 25) {
  const kind = { how: 'spoofed', what: 'announcements' } as const;
  return forge(simulation, { ...kind, ips: [ip], victims: () => nodes, everyMs });
}

/** Whether its agent never took the address off its link. */
async function keeps({ clock }: Simulation, node: SimulatedNode, ip: Ip, ms: number) {
  let isKept = node.holds(ip);
  node.onChanges = (changes) => {
    if (changes.some((change) => change.kind === 'remove' && change.address.ip === ip))
      isKept = false;
  };
  await clock.advance(ms);
  return isKept && node.holds(ip);
}

for (const ip of vips) {
  test(`${ip}: forged frames in a living member's name take nothing from its owner`, async () => {
    const { simulation } = await served();
    const owner = simulation.holder(ip);
    const [rival = owner] = others(simulation, owner);
    const stop = spoof(simulation, ip, [rival]);
    assert.ok(await keeps(simulation, owner, ip, 8_000));
    stop();
    assert.equal(simulation.holder(ip), owner);
  });

  test(`${ip}: nor from an owner whose agent is restarted meanwhile, or stands still`, async () => {
    const { simulation, clock } = await served();
    const owner = simulation.holder(ip);
    const [rival = owner] = others(simulation, owner);
    const stop = spoof(simulation, ip, [rival]);
    owner.killAgent();
    await clock.advance(1_000);
    owner.startAgent();
    assert.ok(await keeps(simulation, owner, ip, 6_000));
    owner.stall();
    await clock.advance(3_000);
    owner.resume();
    assert.ok(await keeps(simulation, owner, ip, 6_000));
    stop();
    assert.equal(simulation.holder(ip), owner);
  });

  test(`${ip}: without a key they do, as in versions before`, async () => {
    const { simulation, clock } = await served({ key: 0 });
    const owner = simulation.holder(ip);
    const [rival = owner] = others(simulation, owner);
    const stop = spoof(simulation, ip, [rival]);
    owner.killAgent();
    await clock.advance(1_000);
    owner.startAgent();
    assert.equal(await keeps(simulation, owner, ip, 6_000), false);
    stop();
  });

  test(`${ip}: forged frames in a living member's name do not keep a successor from taking over`, async () => {
    const { simulation, clock } = await served();
    const owner = simulation.holder(ip);
    const stop = spoof(simulation, ip, others(simulation, owner));
    await clock.advance(1_000);
    owner.powerOff();
    await clock.advance(5_000);
    assert.equal(simulation.nodes.filter((node) => node.holds(ip)).length, 1);
    stop();
  });

  test(`${ip}: forged frames in the name of an agent that restarted without the API server take nothing from an owner that stood still, and delay no takeover`, async () => {
    const { simulation, clock } = await served();
    const owner = simulation.holder(ip);
    // Not the node that is next to own it.
    const [, victim = owner] = others(simulation, owner);
    victim.cutFromApi();
    victim.killAgent();
    await clock.advance(500);
    victim.startAgent();
    await clock.advance(500);
    const stop = spoof(simulation, ip, [victim]);
    owner.stall();
    await clock.advance(1_000);
    owner.resume();
    await clock.advance(4_000);
    assert.deepEqual(simulation.holders(ip), [owner.name]);
    owner.powerOff();
    await clock.advance(5_000);
    assert.equal(simulation.nodes.filter((node) => node.holds(ip)).length, 1);
    stop();
  });

  test(`${ip}: forged frames in the name of a next owner that cannot read the cluster delay a takeover by less than 30 s`, async () => {
    for (const index of [0, 1, 2]) {
      const { simulation, clock } = await served();
      const owner = simulation.holder(ip);
      const victim = others(simulation, owner)[index] ?? owner;
      victim.cutFromApi();
      victim.killAgent();
      await clock.advance(500);
      victim.startAgent();
      const stop = spoof(simulation, ip, [victim]);
      await clock.advance(5_000);
      owner.powerOff();
      await clock.advance(30_000);
      assert.equal(simulation.nodes.filter((node) => node.holds(ip)).length, 1);
      stop();
    }
  });

  test(`${ip}: forged frames in a dead owner's name put a takeover off, and not for ever`, async () => {
    const { simulation, clock } = await served({ lifetimeSeconds: 60 });
    const owner = simulation.holder(ip);
    owner.powerOff();
    const stop = spoof(simulation, ip, [owner], 200);
    // Whoever is next takes it over when the dead node's kernel would have dropped it.
    await clock.advance(80_000);
    assert.equal(simulation.nodes.filter((node) => node.holds(ip)).length, 1);
    stop();
  });

  test(`${ip}: a real rival is still yielded to when keys differ, or one has none`, async () => {
    for (const keys of [[1, 2] as const, [1, 0] as const]) {
      const { simulation, clock } = await served();
      for (const [index, node] of simulation.nodes.entries()) {
        node.killAgent();
        node.keys.set(keys[index % 2] ?? 0);
        node.startAgent();
      }
      await clock.advance(15_000);
      const { segment } = simulation;
      const owner = simulation.holder(ip);
      segment.passes = (_frame, from, to) => (from === owner.nic) === (to === owner.nic);
      await clock.advance(10_000);
      segment.passes = () => true;
      await clock.advance(15_000);
      assert.equal(simulation.nodes.filter((node) => node.holds(ip)).length, 1);
    }
  });
}

/** Hosts that claim an address without the key; each result ends the claim. */
const impostors: readonly (readonly [string, (world: Simulation, ip: Ip) => () => void])[] = [
  [
    'announces it and replies',
    (world, ip) => {
      const kind = { how: 'own', what: 'announcements', everyMs: 50 } as const;
      const stops = [plugReplier(world), forge(world, { ...kind, ips: [ip], victims: () => [] })];
      return () => {
        for (const stop of stops) stop();
      };
    },
  ],
  ['replies and announces nothing', (world) => plugReplier(world)],
  [
    "announces it from a member's MAC",
    (world, ip) => spoof(world, ip, others(world, world.holder(ip)).slice(0, 1)),
  ],
];

for (const ip of vips) {
  for (const [what, impersonate] of impostors) {
    test(`${ip}: an agent that restarted without the API server does not give it up to a host that ${what}`, async () => {
      const { simulation, clock } = await served({ lifetimeSeconds: 60 });
      const owner = simulation.holder(ip);
      simulation.faults.pause();
      owner.killAgent();
      const stop = impersonate(simulation, ip);
      await clock.advance(1_000);
      owner.startAgent();
      assert.ok(await keeps(simulation, owner, ip, 50_000));
      stop();
      assert.ok(await keeps(simulation, owner, ip, 120_000));
      simulation.faults.resume();
      await clock.advance(30_000);
      assert.deepEqual(simulation.holders(ip), [owner.name]);
    });
  }
}

test('forged packets of every kind, unsigned or signed with another key, move nothing', async () => {
  const { simulation, clock, forger } = await served();
  const [ip = ipOf('192.0.2.100')] = vips;
  const owner = simulation.holder(ip);
  const counters = () => simulation.nodes.map((node) => node.agent?.parts.hints.counters());
  const before = counters();
  const ends = simulation.nodes.map(({ name }, index) => ({
    name,
    at: ipsOfNode(index + 1)[0] ?? ip,
  }));
  for (const { at: to } of ends) {
    for (const { name, at: from } of ends) {
      for (const bytes of forgeries(owner.name, ip, { sender: name, receiver: to }))
        forger.send(bytes, from, to);
    }
  }
  await clock.advance(5_000);
  assert.equal(simulation.holder(ip), owner);
  for (const [index, after] of counters().entries()) {
    assert.equal(after?.heard, before[index]?.heard);
    // Nine by each of three others; what says to come from the receiver itself comes from no other member.
    assert.deepEqual([after?.unauthenticated, after?.strangers], [27, 9]);
  }
});

function forgeries(
  holder: string,
  ip: Ip,
  ends: { readonly sender: string; readonly receiver: Ip },
) {
  const key = makeKey(new Uint8Array(32).fill(99));
  const hints: readonly Hint[] = [
    { kind: 'silent', holder },
    { kind: 'orphan', holder, ip },
    { kind: 'question', ip, number: 1 },
    { kind: 'denial', ip, number: 1 },
    { kind: 'affirmation', ip, number: 1, isSure: true },
  ];
  const header = { keyId: key.id, session: 1, sequence: 1, ...ends };
  const signed = hints.map((hint) => encodeSignedHint({ ...header, hint }, key.sign));
  return [...hints.slice(0, 4).map(encodeHint), ...signed];
}

test('packets that were recorded and are sent again are heard by nobody', async () => {
  const { simulation, clock, forger } = await served();
  const [ip = ipOf('192.0.2.100')] = vips;
  const owner = simulation.holder(ip);
  owner.powerOff();
  await clock.advance(5_000);
  const recorded = [...simulation.hints.recorded];
  assert.ok(recorded.length > 0);
  const heardBy = () =>
    simulation.nodes.map((node) => node.agent?.parts.hints.counters().heard ?? 0);
  const before = heardBy();
  for (const { bytes, from, to } of recorded) forger.send(bytes, from, to);
  await clock.advance(1_000);
  assert.deepEqual(heardBy(), before);
});

test('a key that is replaced on one node after the other leaves no packet unbelieved', async () => {
  const { simulation, clock } = await served();
  const [ip = ipOf('192.0.2.100')] = vips;
  const steps = [
    [2, 1],
    [2, 0],
    [3, 2],
    [3, 0],
  ] as const;
  for (const [key, previous] of steps) {
    for (const node of simulation.nodes) {
      node.keys.set(key, previous);
      await clock.advance(7_000);
      // Its watchers tell the others.
      const owner = simulation.holder(ip);
      owner.stun();
      await clock.advance(3_000);
      owner.endStun();
      await clock.advance(5_000);
    }
  }
  const counted = simulation.nodes.flatMap((node) => node.agent?.parts.hints.counters() ?? []);
  assert.ok(counted.some(({ heard }) => heard > 10));
  assert.deepEqual(
    counted.map(({ unauthenticated, limited }) => unauthenticated + limited),
    [0, 0, 0, 0],
  );
});
