import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Host } from './host.ts';
import { addressBatch, creationBatch, hostScript } from './network-commands.ts';
import type { HostPlan, NetworkPlan } from './network-plan.ts';
import { planLan } from './plan-lan.ts';
import { Segment } from './segment.ts';

function hostIn({ hosts }: NetworkPlan, name: string): HostPlan {
  const found = hosts.find((host) => host.name === name);
  assert.ok(found);
  return found;
}

test('cables are made between namespaces directly, with indices that no port has', () => {
  const { segments, hosts } = planLan({ nodes: 1, families: ['ipv4'], mtu: 9000 });
  const made = new Map(segments.map((plan) => [plan.name, new Segment(plan, `x-${plan.name}`)]));
  const segmentNamed = (name: string) => made.get(name) ?? assert.fail(name);
  const machines = hosts.map((plan) => new Host(plan, `x-${plan.name}`, segmentNamed));
  assert.equal(
    creationBatch([...made.values()], machines),
    `netns add x-lan1
netns add x-node1
netns add x-client
link add name eth0 index 1001 netns x-node1 address 02:00:00:01:00:11 mtu 9000 type veth peer name node1-eth0 netns x-lan1 mtu 9000
link add name eth0 index 1001 netns x-client address 02:00:00:01:00:91 mtu 9000 type veth peer name client-eth0 netns x-lan1 mtu 9000
`,
  );
});

test('a host gets its addresses and then the routes that lead through them', () => {
  assert.equal(
    addressBatch(hostIn(planLan({ nodes: [1, 1] }), 'node2')),
    `address replace 198.51.100.12/24 dev eth0
address replace 2001:db8:2::12/64 dev eth0
route replace default via 198.51.100.1
route replace default via 2001:db8:2::1
`,
  );
});

test('duplicate detection and forwarding are set as planned', () => {
  const plan = planLan({ nodes: [1, 1], detectsDuplicates: true });
  assert.match(hostScript(hostIn(planLan({ nodes: 1 }), 'node1')), /accept_dad/);
  assert.doesNotMatch(hostScript(hostIn(plan, 'node1')), /accept_dad|forwarding/);
  assert.match(hostScript(hostIn(plan, 'router')), /ipv4\/conf\/all\/forwarding/);
});

test('a name that no link can have is refused before anything is made', () => {
  const { segments, hosts } = planLan({ nodes: 1 });
  const [segment] = segments.map((plan) => new Segment(plan, 'x'));
  const long = { ...hostIn({ segments, hosts }, 'node1'), name: 'a-very-long-name' };
  const host = new Host(long, 'x', () => segment ?? assert.fail());
  assert.throws(() => creationBatch([], [host]), /a-very-long-name-eth0 is too long/);
});
