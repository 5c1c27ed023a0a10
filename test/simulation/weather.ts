/** What the network does to frames: cut ports, partitions, loss, copies, delay, limits, and answers of its own. */

import type { FakePort, FakeSegment, Interception } from '../../src/linux/fake-segment.ts';
import type { Ip } from '../../src/model/ip.ts';
import { isGroupMac, type Mac } from '../../src/model/mac.ts';
import {
  type ArpFrame,
  claimIn,
  type NeighbourFrame,
  type NeighbourSolicitation,
  unspecifiedIp,
} from '../../src/model/neighbour-frame.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import type { Chance } from './chance.ts';

interface PluggedNode {
  hasMac(mac: Mac): boolean;
}

export class Weather {
  /** Of a hundred. */
  loss = 0;
  copied = 0;
  delayMs = 0;
  /** ARP frames that the switch takes from a port each second; a broadcast is one frame, however many hear it. */
  arpPerSecond = Infinity;
  /** As the leaves of an EVPN do (bridge `neigh_suppress`): questions are answered from a cache, or go nowhere. */
  suppresses = false;
  readonly cut = new Set<PluggedNode>();
  /** On the far side of a partition; clients and gateways are on the near one. */
  readonly far = new Set<PluggedNode>();
  readonly #chance: Chance;
  readonly #clock: Clock;
  readonly #known = new Map<Ip, Mac>();
  readonly #spent = new Map<FakePort, { second: number; frames: number }>();

  constructor(
    segment: FakeSegment,
    { clock, chance }: { readonly clock: Clock; readonly chance: Chance },
  ) {
    this.#chance = chance;
    this.#clock = clock;
    segment.passes = (_frame, from, to) => this.isOpen(from, to);
    segment.admits = (frame, from) => frame.kind !== 'arp' || !this.#isOverLimit(from);
    segment.loses = () => this.loss > 0 && this.#chance.below(1000) < this.loss * 10;
    segment.copies = () => (this.copied > 0 && this.#chance.below(100) < this.copied ? 2 : 1);
    segment.delayMs = () => (this.delayMs > 0 ? this.#chance.below(this.delayMs * 100) / 100 : 0);
    segment.intercepts = (frame, from) => this.#intercept(frame, from);
  }

  /** A host is unplugged: switches that suppress ARP do not answer with its MAC any more. */
  forget(mac: Mac): void {
    for (const [ip, known] of this.#known) if (known === mac) this.#known.delete(ip);
  }

  /** Whether there is a way between two ports, chance apart. */
  isOpen(from: FakePort, to: FakePort): boolean {
    if (this.cut.size > 0 && (this.#isIn(this.cut, from) || this.#isIn(this.cut, to))) return false;
    return this.far.size === 0 || this.#isIn(this.far, from) === this.#isIn(this.far, to);
  }

  #isIn(nodes: ReadonlySet<PluggedNode>, port: FakePort): boolean {
    for (const node of nodes) if (node.hasMac(port.mac)) return true;
    return false;
  }

  #isOverLimit(from: FakePort): boolean {
    if (this.arpPerSecond === Infinity) return false;
    const second = Math.floor(this.#clock.monotonic() / 1000);
    const spent = this.#spent.get(from);
    const frames = spent?.second === second ? spent.frames + 1 : 1;
    this.#spent.set(from, { second, frames });
    return frames > this.arpPerSecond;
  }

  #intercept(frame: NeighbourFrame, from: FakePort): Interception | undefined {
    if (!this.suppresses) return undefined;
    if (this.#isIn(this.cut, from)) return undefined;
    const claim = frame.kind === 'echo-reply' ? undefined : claimIn(frame);
    if (claim !== undefined) this.#known.set(claim.ip, claim.mac);
    if (frame.kind === 'arp') return this.#interceptArp(frame);
    return frame.kind === 'neighbour-solicitation' ? this.#interceptSolicitation(frame) : undefined;
  }

  #interceptArp({ operation, sender, target, to }: ArpFrame): Interception | undefined {
    if (operation !== 'request' || to !== broadcast || sender.ip === target.ip) return undefined;
    if (sender.ip === unspecifiedIp.ipv4) return { answer: undefined };
    const mac = this.#known.get(target.ip);
    if (mac === undefined) return undefined;
    const answer = { kind: 'arp', operation: 'reply', from: mac, to: sender.mac } as const;
    return { answer: { ...answer, sender: { ip: target.ip, mac }, target: sender } };
  }

  #interceptSolicitation(frame: NeighbourSolicitation): Interception | undefined {
    // By the frame, not by the packet: what goes to one MAC is forwarded as anything else.
    if (!isGroupMac(frame.to)) return undefined;
    if (frame.source === unspecifiedIp.ipv6) return { answer: undefined };
    const mac = this.#known.get(frame.target);
    if (mac === undefined) return undefined;
    const { source: destination, from: to, target } = frame;
    const flags = { isRouter: false, isSolicited: true, overrides: true, targetMac: mac };
    const path = { from: mac, to, source: target, destination, target };
    return { answer: { kind: 'neighbour-advertisement', ...path, ...flags } };
  }
}

const broadcast = 'ff:ff:ff:ff:ff:ff';
