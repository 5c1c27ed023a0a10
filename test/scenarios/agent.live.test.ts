import { test } from 'node:test';
import { missing } from '../../lab/missing.ts';
import { agentContract } from './agent.contract.ts';
import { AgentWorld } from './agent-world.ts';

const skip = missing('ip', 'ping', 'setpriv', 'tcpdump');

/** A world of its own for each test. */
async function open() {
  const world = await AgentWorld.open();
  return { world, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

if (skip === false) agentContract(open);
else test('agents put addresses on nodes', { skip }, () => {});
