import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { cutPort } from '../../lab/faults/cut.ts';
import { missing } from '../../lab/missing.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { nodes, services } from '../../src/kube/resources.ts';
import { excludeNodeLabel } from '../../src/model/well-known-names.ts';
import { AgentWorld } from './agent-world.ts';

const patient = { withinMs: 30_000 };

test('an address that nobody else may take and that does not answer is said to be unreachable, until it does', {
  skip: missing('ip', 'setpriv'),
}, async () => {
  await using world = await AgentWorld.open({});
  const { cluster, lab } = world;
  const reachable = async () => {
    const { status } = await cluster.get(services, { namespace: 'shop', name: 'web' });
    const { conditions = [] } = status as { conditions?: readonly Record<string, string>[] };
    return conditions
      .filter(({ type }) => type === 'Reachable')
      .map(({ status: is, reason, message }) => `${is} ${reason}: ${message}`);
  };
  await world.members(3);
  const exclude = mergePatch({ metadata: { labels: { [excludeNodeLabel]: 'true' } } });
  for (const name of ['node2', 'node3']) await cluster.patch(nodes, { name }, exclude);
  await world.service('web', { ips: ['192.0.2.100'] });
  assert.match(await world.onePlace('192.0.2.100'), /^node1 /);
  assert.deepEqual(await reachable(), []);

  const [nic] = lab.node(1).nics;
  assert.ok(nic !== undefined);
  const fault = await cutPort(nic);
  await eventually(async () => {
    assert.deepEqual(await reachable(), ['False NoAnswer: no answer from 192.0.2.100 on node1']);
  }, patient);

  await fault.heal();
  await eventually(async () => {
    assert.deepEqual(await reachable(), ['True Answering: other nodes get answers']);
  }, patient);
});
