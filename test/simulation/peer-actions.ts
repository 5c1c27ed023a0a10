/** What a liar on the network does to what agents say to each other, and what becomes of their key. */

import { makeKey } from '../../src/agent/key-ring.ts';
import { encodeHint, type Hint } from '../../src/wire/hint.ts';
import { encodeSignedHint } from '../../src/wire/signed-hint.ts';
import { ipsOfNode } from './address-plan.ts';
import { Chance } from './chance.ts';
import type { Action, FaultWorld } from './fault-world.ts';
import { PacketForger } from './packet-forger.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { Simulation } from './simulation.ts';

const everyMs = 40;
/** By the number of the key that all have. */
const keys = new WeakMap<Simulation, number>();

function repeat({ after }: FaultWorld, act: () => void): () => void {
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    act();
    after(everyMs, turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}

function drawHint(chance: Chance, simulation: Simulation): Hint {
  const { name: holder } = chance.pick(simulation.nodes);
  const ip = chance.pick(simulation.ips.length > 0 ? simulation.ips : ipsOfNode(1));
  const number = chance.below(2 ** 31);
  return chance.pick<Hint>([
    { kind: 'silent', holder },
    { kind: 'orphan', holder, ip },
    { kind: 'question', ip, number },
    { kind: 'denial', ip, number },
    { kind: 'affirmation', ip, number, isSure: chance.isOneIn(2) },
  ]);
}

/** Of every kind, by strangers and in the name of members, unsigned and signed with a key of the liar's own. */
export const hintsForged: Action = (world, _node, { dice }) => {
  const { simulation, isActive } = world;
  if (isActive('hints-forged')) return undefined;
  const chance = new Chance(dice);
  const forger = new PacketForger(simulation);
  const key = makeKey(new Uint8Array(32).fill(255));
  const end = repeat(world, () => {
    const hint = drawHint(chance, simulation);
    const receiver = chance.pick(ipsOfNode(1 + chance.below(simulation.nodes.length)));
    const other = 1 + chance.below(simulation.nodes.length + 1);
    const from = ipsOfNode(other)[receiver.includes(':') ? 1 : 0] ?? receiver;
    const header = { keyId: key.id, session: dice, sequence: chance.below(2 ** 31), receiver };
    const isPlain = hint.kind !== 'affirmation' && chance.isOneIn(2);
    const bytes = isPlain
      ? encodeHint(hint)
      : encodeSignedHint({ ...header, sender: `node${other}`, hint }, key.sign);
    forger.send(bytes, from, receiver);
  });
  return { what: 'packets between agents are forged', nodes: [], end };
};

export const hintsReplayed: Action = (world, _node, { dice }) => {
  const { simulation, isActive } = world;
  if (isActive('hints-replayed') || simulation.hints.recorded.length === 0) return undefined;
  const chance = new Chance(dice);
  const forger = new PacketForger(simulation);
  const end = repeat(world, () => {
    const { bytes, from, to } = chance.pick(simulation.hints.recorded);
    forger.send(bytes, from, to);
  });
  return { what: 'packets between agents are recorded and sent again', nodes: [], end };
};

function give(node: SimulatedNode, key: number, previous = 0): void {
  node.keys.set(key, previous);
  node.agent?.reconciler.wake('node');
}

/** Each node has the new key at a time of its own; then the old one goes, at a time of its own again. */
export const keyRotated: Action = (world, _node, { dice, lastsMs }) => {
  const { simulation, isActive, after } = world;
  if (isActive('key-rotated') || isActive('key-missing')) return undefined;
  const chance = new Chance(dice);
  const old = keys.get(simulation) ?? 1;
  const next = (old % 200) + 1;
  keys.set(simulation, next);
  const { nodes } = simulation;
  for (const node of nodes) after(chance.below(lastsMs), () => give(node, next, old));
  const end = () => {
    for (const node of nodes) give(node, next, old);
    for (const node of nodes) after(chance.below(5_000), () => give(node, next));
  };
  return { what: 'the key of the agents is replaced', nodes: [], end };
};

/** An agent that starts before its key is there. */
export const keyMissing: Action = ({ simulation, canSpare, isActive, after }, node) => {
  const isBusy = isActive('key-rotated') || isActive('key-missing');
  if (isBusy || !node.isAgentRunning || !canSpare(node)) return undefined;
  node.killAgent();
  node.keys.set(0);
  after(300, () => node.startAgent());
  const end = () => {
    give(node, keys.get(simulation) ?? 1);
    node.startAgent();
  };
  return { what: `${node.name}'s agent starts without a key`, nodes: [node], end };
};
