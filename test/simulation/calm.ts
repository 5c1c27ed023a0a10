/**
 * The state of a cluster in words that know no times: who holds what, what Services and Leases say, what the agents
 * believe of each other. A calm cluster repeats itself, and everything in it goes by differences of times; so, as long as
 * this stays the same, a jump by any number of periods leads to where living through them leads.
 */

import type { Simulation } from './simulation.ts';

export function describeCalm(simulation: Simulation): string {
  const { nodes, ips } = simulation;
  return [
    ...ips.map((ip) => `${ip} on ${simulation.holders(ip).join('+')}`),
    ...simulation.slots().map((line) => `slot ${line}`),
    ...nodes.map((node) => {
      const watching = node.agent?.parts.failover.watching ?? [];
      const words = watching.map(
        ({ holder, link, state, orphans }) => `${holder} ${link} ${state} ${orphans.join('+')}`,
      );
      return `${node.name} ${node.isAgentRunning ? 'runs' : 'rests'}: ${words.sort().join(', ')}`;
    }),
    ...nodes.map((node) => {
      const held = node.kernel.machine.addresses().map(({ ip, link }) => `${ip}@${link}`);
      return `${node.name} has ${held.sort().join(' ')}`;
    }),
  ].join('\n');
}
