/** How long an address had two nodes that a client could reach, or none: measured at every step of the clock. */

import type { Ip } from '../../src/model/ip.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { Simulation } from './simulation.ts';

export class TwoHolders {
  readonly #simulation: Simulation;
  readonly #since = new Map<Ip, number>();
  readonly #longest = new Map<Ip, number>();

  constructor(simulation: Simulation, ips: readonly Ip[]) {
    this.#simulation = simulation;
    const others = simulation.onStep;
    simulation.onStep = () => {
      others();
      for (const ip of ips) this.#look(ip);
    };
  }

  longestMs(ip: Ip): number {
    return this.#longest.get(ip) ?? 0;
  }

  reachable(ip: Ip): readonly SimulatedNode[] {
    const { nodes, client } = this.#simulation;
    return nodes.filter(
      (node) => node.isAwake && node.holds(ip) && this.#simulation.isOpen(client.nic, node.nic),
    );
  }

  #look(ip: Ip): void {
    const now = this.#simulation.clock.monotonic();
    if (this.reachable(ip).length < 2) {
      this.#since.delete(ip);
      return;
    }
    const since = this.#since.get(ip) ?? now;
    this.#since.set(ip, since);
    this.#longest.set(ip, Math.max(this.longestMs(ip), now - since));
  }
}
