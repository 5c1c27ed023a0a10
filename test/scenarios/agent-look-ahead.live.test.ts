/** Agents look for addresses on the wire before any Service has them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { leases } from '../../src/kube/resources.ts';
import { AgentWorld, installNamespace } from './agent-world.ts';

const skip = missing('ip', 'setpriv');
const taken = ['192.0.2.100', '2001:db8:1::100'];
const next = ['192.0.2.101', '2001:db8:1::101'];

async function reports(world: AgentWorld): Promise<string> {
  const texts: string[] = [];
  for await (const { items } of world.cluster.list(leases, { namespace: installNamespace })) {
    for (const { metadata } of items)
      texts.push(metadata.annotations?.['purelb.io/conflicts'] ?? '');
  }
  return texts.join(' ').trim();
}

test('a host that has a free address is found before any Service has it, and nothing else is accused', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ agents: [] });
  await world.client.run(['ip', 'address', 'add', '192.0.2.100/24', 'dev', 'eth0']);
  await world.client.run(['ip', 'address', 'add', '2001:db8:1::100/64', 'dev', 'eth0', 'nodad']);
  await Promise.all([1, 2, 3].map((number) => world.startAgent(number)));
  await world.members(3);
  await eventually(
    async () => {
      const told = await reports(world);
      for (const ip of taken) assert.match(told, new RegExp(`${ip},02:00:00:01:00:91,`));
      assert.equal(told.split(' ').length, 2);
    },
    { withinMs: 10_000 },
  );
  await world.service('web', { ips: next });
  await eventually(
    async () => {
      for (const ip of next) assert.equal((await world.places(ip)).length, 1);
    },
    { withinMs: 5_000 },
  );
  for (const ip of taken) assert.deepEqual(await world.places(ip), []);
});
