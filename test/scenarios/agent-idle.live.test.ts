import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApi } from '../../lab/api/start-api.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { AgentWorld, agentUser } from './agent-world.ts';

const skip = missing('ip', 'setpriv');

test('where nothing changes, agents write nothing but their Leases, once in each interval', {
  skip,
}, async () => {
  const api = await startApi({ rbac: true });
  await using world = await AgentWorld.open({ api: async () => api });
  await world.members(3);
  const numbers = Array.from({ length: 15 }, (_, index) => 100 + index);
  for (const number of numbers) {
    await world.service(`web${number}`, { ips: [`192.0.2.${number}`, `2001:db8:1::${number}`] });
    const far = { group: 'public', type: 'remote' } as const;
    await world.service(`far${number}`, { ips: [`203.0.113.${number + 28}`], ...far });
  }
  const writes = () => {
    const verbs = ['create', 'patch', 'update', 'delete'];
    const isWrite = ([key]: [string, number]) =>
      key.startsWith(`${agentUser} `) && verbs.includes(key.split(' ')[1] ?? '');
    return Object.fromEntries(Object.entries(api.audit.counts()).filter(isWrite));
  };
  const total = () => {
    const others = Object.entries(writes()).filter(([key]) => !key.endsWith(' leases'));
    return others.reduce((sum, [, count]) => sum + count, 0);
  };
  // Everything is said: slots, conditions, Events.
  await eventually(
    async () => {
      const before = total();
      await sleep(4000);
      assert.equal(total(), before);
      assert.ok(before >= 30);
    },
    { withinMs: 60_000 },
  );
  api.audit.clear();
  await sleep(11_000);
  const found = writes();
  assert.deepEqual(Object.keys(found), [`${agentUser} update leases`]);
  const renewals = Object.values(found)[0] ?? 0;
  assert.ok(renewals >= 3 && renewals <= 9, `${renewals} renewals by three agents in 11 s`);
});
