/** A host outside the cluster has addresses of the pools before any agent starts; what agents report of it. */

import { leases } from '../../src/kube/resources.ts';
import { type AgentWorld, installNamespace } from './agent-world.ts';

/** The first address of each family in the default group. */
export const takenIps = ['192.0.2.100', '2001:db8:1::100'];

/** In a world without agents: gives the client the addresses, then starts the agents. */
export async function startBesideTaken(world: AgentWorld): Promise<void> {
  await world.client.run(['ip', 'address', 'add', '192.0.2.100/24', 'dev', 'eth0']);
  await world.client.run(['ip', 'address', 'add', '2001:db8:1::100/64', 'dev', 'eth0', 'nodad']);
  await Promise.all([1, 2, 3].map((number) => world.startAgent(number)));
  await world.members(3);
}

/** Of all agents, from their Leases. */
export async function conflictReports(world: AgentWorld): Promise<string> {
  const texts: string[] = [];
  for await (const { items } of world.cluster.list(leases, { namespace: installNamespace })) {
    for (const { metadata } of items)
      texts.push(metadata.annotations?.['purelb.io/conflicts'] ?? '');
  }
  return texts.join(' ').trim();
}
