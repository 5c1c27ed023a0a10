import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrefix } from '../../src/model/prefix.ts';
import type { HostPlan } from './network-plan.ts';
import { planCluster } from './plan-cluster.ts';

const routesOf = ({ routes }: HostPlan) =>
  routes.map(({ to, via }) => `${to === undefined ? 'default' : formatPrefix(to)} via ${via}`);

test('nodes know the way to pods on their LAN, the router knows it to all', () => {
  const { hosts } = planCluster({ nodes: [2, 1] });
  const routes = Object.fromEntries(hosts.map((host) => [host.name, routesOf(host)]));
  assert.deepEqual(routes, {
    router: [
      '198.19.1.0/24 via 192.0.2.11',
      '2001:db8:f001::/64 via 2001:db8:1::11',
      '198.19.2.0/24 via 192.0.2.12',
      '2001:db8:f002::/64 via 2001:db8:1::12',
      '198.19.3.0/24 via 198.51.100.13',
      '2001:db8:f003::/64 via 2001:db8:2::13',
    ],
    node1: [
      'default via 192.0.2.1',
      'default via 2001:db8:1::1',
      '198.19.2.0/24 via 192.0.2.12',
      '2001:db8:f002::/64 via 2001:db8:1::12',
    ],
    node2: [
      'default via 192.0.2.1',
      'default via 2001:db8:1::1',
      '198.19.1.0/24 via 192.0.2.11',
      '2001:db8:f001::/64 via 2001:db8:1::11',
    ],
    node3: ['default via 198.51.100.1', 'default via 2001:db8:2::1'],
    client: ['default via 203.0.113.1', 'default via 2001:db8:99::1'],
    server: ['default via 203.0.113.1', 'default via 2001:db8:99::1'],
  });
});

test('nodes and the router forward, nobody else', () => {
  const { hosts } = planCluster({ nodes: [1], clients: ['lan1'] });
  assert.deepEqual(
    hosts.map(({ name, forwards }) => `${name} ${forwards}`),
    ['router true', 'node1 true', 'client1 false', 'client2 false', 'server false'],
  );
});
