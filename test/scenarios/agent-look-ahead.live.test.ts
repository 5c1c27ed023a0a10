/** Agents look for addresses on the wire before any Service has them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { AgentWorld } from './agent-world.ts';
import { conflictReports, startBesideTaken, takenIps } from './taken-addresses.ts';

const skip = missing('ip', 'setpriv');
const next = ['192.0.2.101', '2001:db8:1::101'];

test('a host that has a free address is found before any Service has it, and nothing else is accused', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ agents: [] });
  await startBesideTaken(world);
  await eventually(
    async () => {
      const told = await conflictReports(world);
      for (const ip of takenIps) assert.match(told, new RegExp(`${ip},02:00:00:01:00:91,`));
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
  for (const ip of takenIps) assert.deepEqual(await world.places(ip), []);
});
