import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrefix } from '../../src/model/prefix.ts';
import type { HostPlan } from './network-plan.ts';
import { planCluster } from './plan-cluster.ts';
import { withPods } from './plan-pods.ts';

const describe = ({ name, nics, routes }: HostPlan) => {
  const ends = nics.map((nic) => `${nic.name}@${nic.segment} ${nic.addresses.map(formatPrefix)}`);
  return `${name}: ${ends.join(', ')}; via ${routes.map(({ via }) => via)}`;
};

test('each node has a pod behind it, which reaches the world through its node', () => {
  const { segments, hosts } = withPods(planCluster({ nodes: [1, 1] }));
  assert.deepEqual(
    segments.map(({ name }) => name),
    ['lan1', 'lan2', 'outside', 'pods1', 'pods2'],
  );
  assert.deepEqual(hosts.filter(({ role }) => role === 'node' || role === 'pod').map(describe), [
    'node1: eth0@lan1 192.0.2.11/24,2001:db8:1::11/64, cni0@pods1 198.19.1.1/24,2001:db8:f001::1/64; via 192.0.2.1,2001:db8:1::1',
    'node2: eth0@lan2 198.51.100.12/24,2001:db8:2::12/64, cni0@pods2 198.19.2.1/24,2001:db8:f002::1/64; via 198.51.100.1,2001:db8:2::1',
    'pod1: eth0@pods1 198.19.1.11/24,2001:db8:f001::11/64; via 198.19.1.1,2001:db8:f001::1',
    'pod2: eth0@pods2 198.19.2.11/24,2001:db8:f002::11/64; via 198.19.2.1,2001:db8:f002::1',
  ]);
});

test('every MAC of the plan is there once', () => {
  const { hosts } = withPods(planCluster({ nodes: [3, 2] }));
  const macs = hosts.flatMap(({ nics }) => nics.map(({ mac }) => mac));
  assert.equal(new Set(macs).size, macs.length);
});
