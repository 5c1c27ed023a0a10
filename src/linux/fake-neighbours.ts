/** Neighbours over a machine in memory: what its agent would see, and nothing that it would not. */

import type { EthernetLink } from '../model/link.ts';
import { isGroupMac } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import type { SendFailure, SendOutcome } from '../model/send-outcome.ts';
import type { Clock } from '../runtime/clock.ts';
import { announcementFrames } from '../wire/announcement.ts';
import { echoFrame, probeFrame } from '../wire/probe.ts';
import type { FakeHost } from './fake-host.ts';
import type { FakeNic, FakeTap } from './fake-nic.ts';
import type {
  AnnouncementRequest,
  EchoProbeRequest,
  Listening,
  NeighbourCounters,
  NeighbourListener,
  Neighbours,
  ProbeRequest,
} from './neighbours.ts';

/** Two sockets: what has arrived and was not delivered yet. */
interface Ear {
  readonly nic: FakeNic;
  readonly tap: FakeTap;
  readonly listeners: Set<NeighbourListener>;
  readonly inbox: NeighbourEvent[];
  /** Replies to echoes: delivered when the link is drained. */
  readonly echoes: NeighbourEvent[];
  lost: number;
  isAwake: boolean;
}

export interface FakeNeighboursOptions {
  readonly host: FakeHost;
  readonly clock: Clock;
  readonly identifier: number;
}

const mostQueued = 1000;
const errnoOf = { 'link-gone': 6, 'link-down': 100, 'no-buffer-space': 105 } as const;

export class FakeNeighbours implements Neighbours {
  readonly #host: FakeHost;
  readonly #clock: Clock;
  readonly #identifier: number;
  readonly #ears = new Map<number, Ear>();
  readonly #counters = { framesSent: 0, framesFailed: 0, framesHeard: 0, framesLost: 0 };
  #isStalled = false;

  constructor({ host, clock, identifier }: FakeNeighboursOptions) {
    this.#host = host;
    this.#clock = clock;
    this.#identifier = identifier;
  }

  /** As SIGSTOP and SIGCONT: what arrives meanwhile waits in the sockets, as long as there is room. */
  set isStalled(isStalled: boolean) {
    this.#isStalled = isStalled;
    for (const ear of this.#ears.values()) this.#wake(ear);
  }

  announce({ link, ...announcement }: AnnouncementRequest): SendOutcome {
    return this.#sendAll(link, announcementFrames({ ...announcement, mac: link.mac }));
  }

  probe({ link, ...probe }: ProbeRequest): SendOutcome {
    return this.#sendAll(link, [probeFrame({ ...probe, mac: link.mac })]);
  }

  echo({ link, ...echo }: EchoProbeRequest): SendOutcome {
    const identifier = this.#identifier;
    return this.#sendAll(link, [echoFrame({ ...echo, identifier, mac: link.mac })]);
  }

  listen(link: EthernetLink, listener: NeighbourListener): Listening {
    const ear = this.#ears.get(link.index) ?? this.#open(link);
    if (ear === undefined) return { kind: 'failed', reason: 'link-gone', errno: 19 };
    const entry: NeighbourListener = (event) => listener(event);
    ear.listeners.add(entry);
    return { kind: 'listening', stop: () => this.#stop(ear, entry) };
  }

  drain(link: EthernetLink): void {
    const ear = this.#ears.get(link.index);
    if (ear === undefined) return;
    ear.nic.settle();
    this.#deliver(ear, ear.inbox);
    this.#deliver(ear, ear.echoes);
  }

  counters(): NeighbourCounters {
    return { ...this.#counters, framesMalformed: 0 };
  }

  close(): void {
    for (const ear of [...this.#ears.values()]) this.#closeEar(ear);
  }

  #sendAll(link: EthernetLink, frames: readonly NeighbourFrame[]): SendOutcome {
    const nic = this.#host.nic(link.index);
    const reason = obstacleOf(nic);
    if (nic === undefined || reason !== undefined) {
      this.#counters.framesFailed += frames.length;
      return {
        kind: 'failed',
        reason: reason ?? 'link-gone',
        errno: errnoOf[reason ?? 'link-gone'],
      };
    }
    for (const frame of frames) nic.transmit(frame);
    this.#counters.framesSent += frames.length;
    return { kind: 'sent' };
  }

  #open(link: EthernetLink): Ear | undefined {
    const nic = this.#host.nic(link.index);
    if (nic === undefined) return undefined;
    const tap: FakeTap = {
      onFrame: (frame, at) => this.#queue(ear, frame, at),
      onLinkDown: (at) => this.#put(ear, { kind: 'link-down', at }),
      onLinkGone: (at) => this.#put(ear, { kind: 'link-gone', at }),
    };
    const sockets = { inbox: [], echoes: [], lost: 0, isAwake: false };
    const ear: Ear = { nic, tap, listeners: new Set(), ...sockets };
    nic.taps.add(tap);
    this.#ears.set(link.index, ear);
    if (!nic.isUp) tap.onLinkDown(this.#clock.monotonic());
    return ear;
  }

  #stop(ear: Ear, listener: NeighbourListener): void {
    ear.listeners.delete(listener);
    if (ear.listeners.size === 0) this.#closeEar(ear);
  }

  #closeEar(ear: Ear): void {
    ear.nic.taps.delete(ear.tap);
    ear.inbox.length = 0;
    ear.echoes.length = 0;
    const { index } = ear.nic.link;
    if (this.#ears.get(index) === ear) this.#ears.delete(index);
  }

  /** What the filter of the socket lets through. */
  #queue(ear: Ear, frame: NeighbourFrame, at: number): void {
    const isForOthers = frame.kind === 'echo-reply' && frame.identifier !== this.#identifier;
    const isFromHost = frame.from !== ear.nic.mac && !isGroupMac(frame.from);
    if (frame.kind === 'echo-request' || isForOthers || !isFromHost) return;
    const isEcho = frame.kind === 'echo-reply';
    if ((isEcho ? ear.echoes : ear.inbox).length >= mostQueued) ear.lost += 1;
    else if (isEcho) ear.echoes.push({ ...frame, at });
    else this.#put(ear, { ...frame, at });
  }

  #put(ear: Ear, event: NeighbourEvent): void {
    ear.inbox.push(event);
    this.#wake(ear);
  }

  /** Delivered a turn later, as by an event loop. */
  #wake(ear: Ear): void {
    if (ear.isAwake || this.#isStalled) return;
    ear.isAwake = true;
    this.#clock.after(0, () => {
      ear.isAwake = false;
      if (!this.#isStalled) this.#deliver(ear, ear.inbox);
    });
  }

  #deliver(ear: Ear, inbox: NeighbourEvent[]): void {
    for (let event = inbox.shift(); event !== undefined; event = inbox.shift()) {
      if ('from' in event) this.#counters.framesHeard += 1;
      if (event.kind === 'link-gone') this.#ears.delete(ear.nic.link.index);
      for (const listener of ear.listeners) listener(event);
    }
    if (ear.lost === 0) return;
    const lost = { kind: 'lost', count: ear.lost, at: this.#clock.monotonic() } as const;
    this.#counters.framesLost += ear.lost;
    ear.lost = 0;
    for (const listener of ear.listeners) listener(lost);
  }
}

function obstacleOf(nic: FakeNic | undefined): (keyof typeof errnoOf & SendFailure) | undefined {
  if (nic === undefined) return 'link-gone';
  if (!nic.isUp) return 'link-down';
  return nic.isQueueFull ? 'no-buffer-space' : undefined;
}
