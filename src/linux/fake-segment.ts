/** An Ethernet in memory: carries frames between ports, as values, in the order in which they arrive. */

import type { Mac } from '../model/mac.ts';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import type { Clock } from '../runtime/clock.ts';

export interface FakePort {
  readonly mac: Mac;
  receive(frame: NeighbourFrame, at: number): void;
}

/** Of a switch that keeps questions from the others, and may answer for them. */
export interface Interception {
  readonly answer: NeighbourFrame | undefined;
}

interface Flight {
  readonly frame: NeighbourFrame;
  readonly from: FakePort;
  readonly at: number;
}

export interface FakeSegmentOptions {
  readonly clock: Clock;
  readonly latencyMs?: number;
}

export class FakeSegment {
  /** Whether a frame gets from one port to another: for cut cables and partitions. */
  passes: (frame: NeighbourFrame, from: FakePort, to: FakePort) => boolean = () => true;
  /** Whether the switch takes a frame in at all: asked once, whoever it is for. */
  admits: (frame: NeighbourFrame, from: FakePort) => boolean = () => true;
  /** Whether it is lost on the way, by chance. */
  loses: (frame: NeighbourFrame, from: FakePort, to: FakePort) => boolean = () => false;
  /** By how much a frame is late. */
  delayMs: (frame: NeighbourFrame, from: FakePort) => number = () => 0;
  /** How often a frame arrives. */
  copies: (frame: NeighbourFrame, from: FakePort) => number = () => 1;
  /** What the network itself says to a frame, in place of delivering it to everyone; undefined: nothing. */
  intercepts: (frame: NeighbourFrame, from: FakePort) => Interception | undefined = () => undefined;
  readonly #clock: Clock;
  readonly #latencyMs: number;
  readonly #ports = new Set<FakePort>();
  /** By time of arrival. */
  readonly #flights: Flight[] = [];

  constructor({ clock, latencyMs = 0.05 }: FakeSegmentOptions) {
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  plug(port: FakePort): void {
    this.#ports.add(port);
  }

  unplug(port: FakePort): void {
    this.#ports.delete(port);
  }

  /** `sentAt` lies in the past when hosts went on talking while the clock of this process stood still. */
  carry(frame: NeighbourFrame, from: FakePort, sentAt = this.#clock.monotonic()): void {
    const at = sentAt + this.#latencyMs + this.delayMs(frame, from);
    for (let copy = this.copies(frame, from); copy > 0; copy -= 1)
      this.#launch({ frame, from, at });
  }

  #launch(flight: Flight): void {
    const later = this.#flights.findLastIndex(({ at }) => at <= flight.at);
    this.#flights.splice(later + 1, 0, flight);
    this.#clock.after(flight.at - this.#clock.monotonic(), () => this.settle());
  }

  /** Lets everything arrive that has arrived by now, and what follows from it. */
  settle(): void {
    const now = this.#clock.monotonic();
    for (
      let next = this.#flights[0];
      next !== undefined && next.at <= now;
      next = this.#flights[0]
    ) {
      this.#flights.shift();
      this.#land(next);
    }
  }

  #land({ frame, from, at }: Flight): void {
    if (!this.admits(frame, from)) return;
    const interception = this.intercepts(frame, from);
    if (interception === undefined) this.#deliver({ frame, from, at });
    else if (interception.answer !== undefined) from.receive(interception.answer, at);
  }

  #deliver({ frame, from, at }: Flight): void {
    const isForAll = isGroup(frame.to);
    for (const port of [...this.#ports]) {
      if (port === from || !(isForAll || frame.to === port.mac)) continue;
      if (!this.passes(frame, from, port) || this.loses(frame, from, port)) continue;
      port.receive(frame, at);
    }
  }
}

/** Multicast, and broadcast with it: the lowest bit of the first byte. */
function isGroup(mac: Mac): boolean {
  return (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;
}
