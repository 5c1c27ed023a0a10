/** A link of a machine in memory, whose kernel answers as Linux does with default settings. */

import type { Ip } from '../model/ip.ts';
import type { EthernetLink } from '../model/link.ts';
import type { Mac } from '../model/mac.ts';
import {
  type ArpFrame,
  type EchoReply,
  type EchoRequest,
  type NeighbourAdvertisement,
  type NeighbourFrame,
  type NeighbourSolicitation,
  unspecifiedIp,
} from '../model/neighbour-frame.ts';
import { allNodes, isMulticastIpv6, multicastMac } from '../wire/multicast.ts';
import { probeFrame } from '../wire/probe.ts';
import type { FakeHost } from './fake-host.ts';
import { FakeNeighbourTable } from './fake-neighbour-table.ts';
import type { FakePort, FakeSegment } from './fake-segment.ts';

/** A packet socket on the link. */
export interface FakeTap {
  onFrame(frame: NeighbourFrame, at: number): void;
  onLinkDown(at: number): void;
  onLinkGone(at: number): void;
}

export interface FakeNicOptions {
  readonly link: EthernetLink;
  /** Absent for a link that leads nowhere, such as kube-lb0. */
  readonly segment?: FakeSegment;
  /** A Set by default, to be filled by the test; or a view of some fake kernel. */
  readonly addresses?: { has(ip: Ip): boolean };
}

type Unaddressed<T> = T extends NeighbourFrame ? Omit<T, 'to'> : never;
type Outgoing = Unaddressed<EchoReply | EchoRequest>;

/** Waiting for the MAC of where they go. */
interface Pending {
  askedAt: number;
  readonly frames: Outgoing[];
}

const askAgainMs = 1000;
const mostPending = 100;

export class FakeNic implements FakePort {
  readonly link: EthernetLink;
  readonly addresses: { has(ip: Ip): boolean };
  readonly neighbours = new FakeNeighbourTable();
  readonly taps = new Set<FakeTap>();
  /** Makes the next frames of the agent fail with ENOBUFS. */
  isQueueFull = false;
  readonly #host: FakeHost;
  readonly #segment: FakeSegment | undefined;
  readonly #pending = new Map<Ip, Pending>();
  #isUp = true;

  constructor(host: FakeHost, { link, segment, addresses = new Set() }: FakeNicOptions) {
    this.link = link;
    this.addresses = addresses;
    this.#host = host;
    this.#segment = segment;
    segment?.plug(this);
  }

  get mac(): Mac {
    return this.link.mac;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** As `ip link set … up` and `down`. */
  setUp(isUp: boolean, at: number): void {
    this.#isUp = isUp;
    if (!isUp) for (const tap of [...this.taps]) tap.onLinkDown(at);
  }

  remove(at: number): void {
    this.setUp(false, at);
    this.#segment?.unplug(this);
    for (const tap of [...this.taps]) tap.onLinkGone(at);
  }

  /** Lets arrive what has arrived by now. */
  settle(): void {
    this.#segment?.settle();
  }

  transmit(frame: NeighbourFrame, at?: number): void {
    if (this.#isUp && this.#host.isAlive) this.#segment?.carry(frame, this, at);
  }

  /** What `ping` does once: asks for the MAC first if it is not known. */
  ping(ip: Ip, source: Ip, at: number): void {
    const frame = { source, destination: ip, identifier: 1, sequence: 1, from: this.mac };
    this.#sendTo(ip, { kind: 'echo-request', ...frame }, at);
  }

  receive(frame: NeighbourFrame, at: number): void {
    if (!this.#isUp || !this.#host.isAlive) return;
    for (const tap of [...this.taps]) tap.onFrame(frame, at);
    if (frame.kind === 'arp') this.#receiveArp(frame, at);
    else if (frame.kind === 'neighbour-solicitation') this.#receiveSolicitation(frame, at);
    else if (frame.kind === 'neighbour-advertisement') this.#receiveAdvertisement(frame, at);
    else if (frame.kind === 'echo-request') this.#receiveEcho(frame, at);
  }

  /** `arp_process` of the kernel. */
  #receiveArp({ operation, sender, target }: ArpFrame, at: number): void {
    const isForUs = operation === 'request' && this.#answersArpFor(target.ip);
    const isProbe = sender.ip === unspecifiedIp.ipv4;
    // Who claims one of our own addresses gets no answer and is not believed.
    if (!isProbe && this.#host.holds(sender.ip)) return;
    if (isForUs) {
      const reply = { kind: 'arp', operation: 'reply', from: this.mac, to: sender.mac } as const;
      const us = { mac: this.mac, ip: target.ip };
      this.transmit({ ...reply, sender: us, target: sender }, at);
    }
    if (isProbe) return;
    const isGratuitous =
      sender.ip === target.ip && (operation === 'request' || target.mac === sender.mac);
    if (isForUs || this.#pending.has(sender.ip)) this.#learn(sender.ip, sender.mac, at);
    else this.neighbours.update(sender.ip, sender.mac, at, isGratuitous);
  }

  #answersArpFor(ip: Ip): boolean {
    return this.#host.arpIgnore === 0 ? this.#host.holds(ip) : this.addresses.has(ip);
  }

  /** `ndisc_recv_ns`: unlike ARP, only for addresses of this very link. */
  #receiveSolicitation(frame: NeighbourSolicitation, at: number): void {
    if (!this.addresses.has(frame.target)) return;
    const wasMulticast = isMulticastIpv6(frame.destination);
    const common = { kind: 'neighbour-advertisement', from: this.mac, isRouter: false } as const;
    const answer = { ...common, source: frame.target, target: frame.target };
    if (frame.source === unspecifiedIp.ipv6) {
      const everyone = { to: multicastMac(allNodes), destination: allNodes };
      const flags = { isSolicited: false, overrides: true, targetMac: this.mac };
      this.transmit({ ...answer, ...everyone, ...flags }, at);
      return;
    }
    const asker = frame.sourceMac ?? frame.from;
    this.#learn(frame.source, asker, at);
    const flags = { isSolicited: true, overrides: wasMulticast };
    const mac = wasMulticast ? { targetMac: this.mac } : {};
    this.transmit({ ...answer, to: asker, destination: frame.source, ...flags, ...mac }, at);
  }

  /** `ndisc_recv_na`. */
  #receiveAdvertisement(frame: NeighbourAdvertisement, at: number): void {
    const { target, targetMac, overrides } = frame;
    if (targetMac === undefined || this.#host.holds(target)) return;
    if (this.#pending.has(target)) this.#learn(target, targetMac, at);
    else if (overrides) this.neighbours.update(target, targetMac, at, true);
  }

  #receiveEcho(frame: EchoRequest, at: number): void {
    const { source, destination, identifier, sequence } = frame;
    if (!this.#host.holds(destination) || this.#host.holds(source)) return;
    const path = { source: destination, destination: source, from: this.mac };
    this.#sendTo(source, { kind: 'echo-reply', ...path, identifier, sequence }, at);
  }

  #learn(ip: Ip, mac: Mac, at: number): void {
    this.neighbours.learn(ip, mac, at);
    const frames = this.#pending.get(ip)?.frames ?? [];
    this.#pending.delete(ip);
    for (const frame of frames) this.transmit({ ...frame, to: mac }, at);
  }

  #sendTo(ip: Ip, frame: Outgoing, at: number): void {
    const to = this.neighbours.get(ip);
    if (to !== undefined) {
      this.transmit({ ...frame, to }, at);
      return;
    }
    const pending = this.#pending.get(ip) ?? { askedAt: -Infinity, frames: [] };
    this.#pending.set(ip, pending);
    if (pending.frames.length < mostPending) pending.frames.push(frame);
    if (at - pending.askedAt < askAgainMs) return;
    pending.askedAt = at;
    this.transmit(probeFrame({ ip, mac: this.mac, source: frame.source }), at);
  }
}
