/** The network of the original documentation's examples: three nodes whose one link is in each of their subnets. */

import { macFor } from '../../lab/network/address-plan.ts';
import type { HostPlan, NetworkPlan, Role } from '../../lab/network/network-plan.ts';
import { ipOf } from '../../src/model/ip.ts';
import { prefixOf } from '../../src/model/prefix.ts';

export const exampleLink = 'enp1s0';

interface Place {
  readonly name: string;
  readonly role: Role;
  /** Last part of its addresses. */
  readonly number: number;
}

export function planExamples(): NetworkPlan {
  const places: readonly Place[] = [
    { name: 'router', role: 'router', number: 1 },
    { name: 'node1', role: 'node', number: 140 },
    { name: 'node2', role: 'node', number: 141 },
    { name: 'node3', role: 'node', number: 142 },
    { name: 'client1', role: 'client', number: 50 },
  ];
  return { segments: [{ name: 'lan1', number: 1, mtu: 1500 }], hosts: places.map(planPlace) };
}

function planPlace({ name, role, number }: Place, index: number): HostPlan {
  const addresses = [
    `192.168.151.${number}/24`,
    `192.168.10.${number}/24`,
    `192.168.1.${number}/24`,
    `fc00:270:154::${number}/64`,
  ].map(prefixOf);
  const mac = macFor(1, 0, index + 1);
  const isRouter = role === 'router';
  return {
    name,
    role,
    nics: [{ name: exampleLink, segment: 'lan1', mac, addresses, mtu: 1500 }],
    routes: isRouter ? [] : ['192.168.151.1', 'fc00:270:154::1'].map((via) => ({ via: ipOf(via) })),
    forwards: isRouter,
    detectsDuplicates: false,
  };
}
