/** A host on the segment that sends packets in the name of nodes. */

import type { FakePort } from '../../src/linux/fake-segment.ts';
import type { Ip } from '../../src/model/ip.ts';
import { macOf } from '../../src/model/mac.ts';
import type { Simulation } from './simulation.ts';

export class PacketForger implements FakePort {
  readonly mac = macOf('02:00:00:0f:00:01');
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  receive(): void {}

  /** A packet that says to come from that address. */
  send(bytes: Uint8Array, from: Ip, to: Ip): void {
    this.#simulation.hints.carry({ bytes, from, to }, this);
  }
}
