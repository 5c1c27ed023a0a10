/** What people change while addresses are in use: labels, configurations, groups, Services. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { isNotFound } from '../../src/kube/api-error.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import type { Resource } from '../../src/kube/resource.ts';
import {
  daemonSets,
  lbNodeAgents,
  leases,
  nodes,
  serviceGroups,
  services,
} from '../../src/kube/resources.ts';
import { AgentWorld, installNamespace, usualGroups } from './agent-world.ts';

const skip = missing('ip', 'setpriv');
const patient = { withinMs: 20_000 };
const local = '192.0.2.100';
const remote = '203.0.113.200';
const shared = '2001:db8:1::120';

const at = (name: string) => ({ namespace: installNamespace, name });
const onAll = (link: string) => [1, 2].map((number) => `node${number} ${link}/32`);

async function isAt(world: AgentWorld, ip: string, expected: readonly string[]): Promise<void> {
  await eventually(async () => assert.deepEqual(await world.places(ip), expected), patient);
}

/** What the status of the LBNodeAgent says: on how many nodes it is in force. */
async function isReady(world: AgentWorld, expected: string): Promise<void> {
  await eventually(async () => {
    const { status } = await world.cluster.get(lbNodeAgents, at('chosen'));
    const { activeLeases, conditions } = status as {
      activeLeases: number;
      conditions: { status: string; reason: string }[];
    };
    const [ready] = conditions;
    assert.equal(`${activeLeases} ${ready?.status} ${ready?.reason}`, expected);
  }, patient);
}

async function change(
  world: AgentWorld,
  resource: Resource,
  ref: { readonly namespace?: string; readonly name: string },
  body: object,
): Promise<void> {
  await world.cluster.patch(resource, ref, mergePatch({ ...body }));
}

async function isGone(world: AgentWorld, node: string): Promise<void> {
  const found = world.cluster.get(leases, at(`purelb-node-${node}`));
  await assert.rejects(found, (error) => isNotFound(error));
}

test('labels of nodes and LBNodeAgents decide at once who announces, and on which link', {
  skip,
}, async () => {
  await using world = await AgentWorld.open({ nodes: 2, local: undefined });
  await world.members(2);
  await world.service('web', { ips: [local] });
  await world.service('far', { ips: [remote], group: 'public', type: 'remote' });
  // No LBNodeAgent: the defaults hold.
  await isAt(world, remote, onAll('kube-lb0'));
  const first = (await world.onePlace(local)).split(' ')[0] ?? '';
  const second = first === 'node1' ? 'node2' : 'node1';
  // One that selects another node only: the first has to give up everything, and the second takes over.
  await world.cluster.create(lbNodeAgents, {
    metadata: at('chosen'),
    spec: { nodeSelector: { matchLabels: { 'example.com/lb': 'yes' } }, local: {} },
  });
  await isAt(world, local, []);
  await isAt(world, remote, []);
  await isReady(world, '0 False NotInForce');
  await change(
    world,
    nodes,
    { name: second },
    { metadata: { labels: { 'example.com/lb': 'yes' } } },
  );
  await isAt(world, local, [`${second} eth0/24`]);
  await isAt(world, remote, [`${second} kube-lb0/32`]);
  await change(
    world,
    nodes,
    { name: first },
    { metadata: { labels: { 'example.com/lb': 'yes' } } },
  );
  await isAt(world, remote, onAll('kube-lb0'));
  await isAt(world, local, [`${second} eth0/24`]);
  // Another name for the virtual link, an unreadable setting, and back to none at all.
  await change(world, lbNodeAgents, at('chosen'), { spec: { local: { dummyInterface: 'lb7' } } });
  await isAt(world, remote, onAll('lb7'));
  await isReady(world, '2 True InForce');
  await change(world, lbNodeAgents, at('chosen'), { spec: { local: { localInterface: '[' } } });
  await isAt(world, remote, []);
  await isAt(world, local, []);
  await eventually(async () => {
    const said = (await world.eventsOf('chosen')).filter((text) => text.startsWith('ConfigError'));
    assert.equal(said.filter((text) => text.includes('announcing nothing')).length, 2);
  }, patient);
  await isReady(world, '2 False ConfigError');
  await world.cluster.delete(lbNodeAgents, at('chosen'));
  await isAt(world, remote, onAll('kube-lb0'));
  await world.onePlace(local, 20_000);
});

test('groups that are edited or deleted take nothing from Services; what Services are decides', {
  skip,
}, async () => {
  const aggregated = {
    remote: { v4pools: [{ subnet: '203.0.113.128/25', pool: '203.0.113.128/25' }] },
  };
  const groups = { ...usualGroups, public: aggregated };
  await using world = await AgentWorld.open({ nodes: 2, groups });
  await world.members(2);
  const key = { 'purelb.io/allow-shared-ip': 'front' };
  await world.service('web', { ips: [local] });
  await world.service('far', { ips: [remote], group: 'public', type: 'remote' });
  await world.service('one', { ips: [shared], annotations: key });
  await world.service('two', { ips: [shared], annotations: key });
  const wide = [1, 2].map((number) => `node${number} kube-lb0/25`);
  await isAt(world, remote, wide);
  const place = await world.onePlace(local);
  const sharedPlace = await world.onePlace(shared);
  // The group gets another aggregation, and is then deleted: the address stays as it was last.
  await change(world, serviceGroups, at('public'), {
    spec: { remote: { v4pools: [{ ...aggregated.remote.v4pools[0], aggregation: '/32' }] } },
  });
  await isAt(world, remote, onAll('kube-lb0'));
  await world.cluster.delete(serviceGroups, at('public'));
  await world.cluster.delete(serviceGroups, at('default'));
  // Shared by two, it stays for the other; deleted or of another type, a Service gives up what it has.
  await world.remove('one');
  await isAt(world, shared, [sharedPlace]);
  await change(
    world,
    services,
    { namespace: 'shop', name: 'web' },
    { spec: { type: 'ClusterIP' } },
  );
  await isAt(world, local, []);
  await isAt(world, remote, onAll('kube-lb0'));
  await change(
    world,
    services,
    { namespace: 'shop', name: 'web' },
    { spec: { type: 'LoadBalancer' } },
  );
  await world.cluster.patch(
    services,
    { namespace: 'shop', name: 'web' },
    mergePatch({ status: { loadBalancer: { ingress: [{ ip: local }] } } }),
    { subresource: 'status' },
  );
  assert.match(await world.onePlace(local, 20_000), /^node[12] eth0\/24$/, place);
  await world.remove('two');
  await isAt(world, shared, []);
});

test('a Lease goes with its Node, and when PureLB is uninstalled', { skip }, async () => {
  await using world = await AgentWorld.open({ nodes: 2, agents: [] });
  const template = {
    metadata: { labels: { app: 'purelb' } },
    spec: { containers: [{ name: 'agent', image: 'purelb' }] },
  };
  await world.cluster.create(daemonSets, {
    metadata: at('lbnodeagent'),
    spec: { selector: { matchLabels: { app: 'purelb' } }, template },
  });
  for (const number of [1, 2]) await world.startAgent(number, ['--daemonset', 'lbnodeagent']);
  await world.members(2);
  // Kubernetes collects what is owned by an object that is gone.
  for (const name of ['node1', 'node2']) {
    const { uid } = (await world.cluster.get(nodes, { name })).metadata;
    const { metadata } = await world.cluster.get(leases, at(`purelb-node-${name}`));
    assert.deepEqual(metadata.ownerReferences, [{ apiVersion: 'v1', kind: 'Node', name, uid }]);
  }
  await world.cluster.delete(daemonSets, at('lbnodeagent'));
  assert.deepEqual(await world.agent(1).stop(), { code: 0, signal: null });
  await isGone(world, 'node1');
});
