import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrefix } from '../../src/model/prefix.ts';
import { lanSegment } from './address-plan.ts';
import type { HostPlan, NetworkPlan } from './network-plan.ts';
import { planHost, planLan } from './plan-lan.ts';

/** A plan in few words: `node1 eth0@lan1 192.0.2.11/24 2001:db8:1::11/64 via 192.0.2.1`. */
function describe({ hosts }: NetworkPlan): readonly string[] {
  return hosts.map(describeHost);
}

function describeHost({ name, nics, routes }: HostPlan): string {
  const links = nics.flatMap((nic) => [
    `${nic.name}@${nic.segment}`,
    ...nic.addresses.map(formatPrefix),
  ]);
  const gateways = routes.map(({ via }) => via);
  return [name, ...links, ...(gateways.length > 0 ? ['via', ...gateways] : [])].join(' ');
}

test('one LAN needs no router, and its client is on it', () => {
  assert.deepEqual(describe(planLan({ nodes: 2 })), [
    'node1 eth0@lan1 192.0.2.11/24 2001:db8:1::11/64',
    'node2 eth0@lan1 192.0.2.12/24 2001:db8:1::12/64',
    'client eth0@lan1 192.0.2.91/24 2001:db8:1::91/64',
  ]);
});

test('several LANs have a router between them and the client beyond it', () => {
  assert.deepEqual(describe(planLan({ nodes: [1, 2] })), [
    'router eth0@lan1 192.0.2.1/24 2001:db8:1::1/64 eth1@lan2 198.51.100.1/24 2001:db8:2::1/64' +
      ' eth2@outside 203.0.113.1/25 2001:db8:99::1/64',
    'node1 eth0@lan1 192.0.2.11/24 2001:db8:1::11/64 via 192.0.2.1 2001:db8:1::1',
    'node2 eth0@lan2 198.51.100.12/24 2001:db8:2::12/64 via 198.51.100.1 2001:db8:2::1',
    'node3 eth0@lan2 198.51.100.13/24 2001:db8:2::13/64 via 198.51.100.1 2001:db8:2::1',
    'client eth0@outside 203.0.113.91/25 2001:db8:99::91/64 via 203.0.113.1 2001:db8:99::1',
  ]);
});

test('clients are placed where they are wanted, one family is enough', () => {
  const plan = planLan({ nodes: 1, clients: ['lan1', 'outside'], families: ['ipv6'] });
  assert.deepEqual(describe(plan), [
    'router eth0@lan1 2001:db8:1::1/64 eth1@outside 2001:db8:99::1/64',
    'node1 eth0@lan1 2001:db8:1::11/64 via 2001:db8:1::1',
    'client1 eth0@lan1 2001:db8:1::91/64 via 2001:db8:1::1',
    'client2 eth0@outside 2001:db8:99::92/64 via 2001:db8:99::1',
  ]);
});

test('only the router forwards', () => {
  const forwarding = planLan({ nodes: [1, 1] }).hosts.filter(({ forwards }) => forwards);
  assert.deepEqual(
    forwarding.map(({ name }) => name),
    ['router'],
  );
});

test('a host may have NICs on several segments, and a spare one without addresses', () => {
  const [lan1, lan2] = [lanSegment(1), lanSegment(2)];
  const host = planHost({ name: 'node9', role: 'node', number: 19, segments: [lan1, lan2, lan1] });
  assert.equal(
    describeHost(host),
    'node9 eth0@lan1 192.0.2.19/24 2001:db8:1::19/64 eth1@lan2 198.51.100.19/24' +
      ' 2001:db8:2::19/64 eth2@lan1',
  );
  assert.deepEqual(
    host.nics.map(({ mac }) => mac),
    ['02:00:00:01:00:19', '02:00:00:02:01:19', '02:00:00:01:02:19'],
  );
});

test('what does not fit the address plan is refused in words', () => {
  assert.throws(() => planLan({ nodes: 80 }), /at most 79 nodes/);
  assert.throws(() => planLan({ nodes: 1, clients: ['lan7'] }), /no segment "lan7".*are: lan1/);
});
